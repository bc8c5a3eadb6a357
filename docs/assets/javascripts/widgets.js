/**
 * Figures to play with. Each is a custom element, whose script is fetched where one is about to be seen. The
 * page has its table and its limits; the script adds the fields and the picture.
 */

const KINDS = {
  coalescing: () => import("./widgets/coalescing.js"),
  crossover: () => import("./widgets/crossover.js"),
  "grid-index": () => import("./widgets/grid-index.js"),
  "sm-residency": () => import("./widgets/sm-residency.js"),
  waves: () => import("./widgets/waves.js"),
};

/** Of a figure that is about to be seen, the script is fetched: most of a page's readers are far from it as yet. */
const near = new IntersectionObserver(
  (seen) => {
    for (const { isIntersecting, target } of seen) if (isIntersecting) wake(target);
  },
  { rootMargin: "100% 0px" },
);

/** Has the figures of `root` come to life when they are about to be seen. */
export function mountWidgets(root) {
  for (const place of root.querySelectorAll("[data-widget]")) near.observe(place);
}

/** Defines the element, once: others of its kind are brought to life by the browser. */
function wake(place) {
  near.unobserve(place);
  const { widget } = place.dataset;
  const name = `gpu100-${widget}`;
  if (!Object.hasOwn(KINDS, widget) || customElements.get(name)) return;
  KINDS[widget]().then((module) => customElements.get(name) ?? customElements.define(name, module.default));
}
