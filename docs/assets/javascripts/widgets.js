/**
 * Figures to play with. Each is a custom element, whose script is fetched where a page has one. The page
 * has its table and its limits; the script adds the fields and the picture.
 */

const KINDS = {
  coalescing: () => import("./widgets/coalescing.js"),
  crossover: () => import("./widgets/crossover.js"),
  "grid-index": () => import("./widgets/grid-index.js"),
  "sm-residency": () => import("./widgets/sm-residency.js"),
  waves: () => import("./widgets/waves.js"),
};

/** Defines the elements that `root` has; one that is defined already is brought to life by the browser. */
export function mountWidgets(root) {
  for (const { dataset } of root.querySelectorAll("[data-widget]")) {
    const { widget } = dataset;
    const name = `gpu100-${widget}`;
    if (!Object.hasOwn(KINDS, widget) || customElements.get(name)) continue;
    KINDS[widget]().then((module) => customElements.get(name) ?? customElements.define(name, module.default));
  }
}
