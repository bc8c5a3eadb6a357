/**
 * What every widget does: fields that are checked, a picture as wide as there is room, the same in words,
 * and the reader's GPU. The page has the fields; a kind of widget has picture(), say() and the rest.
 */
import { number, read, stops } from "./pieces.js";

function made(tag, classes, ...inside) {
  const element = document.createElement(tag);
  if (classes) element.className = classes;
  element.append(...inside);
  return element;
}

export class Figure extends HTMLElement {
  #fields = [];
  #width = 0;

  /** The last good values, by field. */
  values = {};
  gpu = null;

  // A kind of widget has picture(width), which returns its height, what is in it and its name; say(), which
  // returns sentences; and may have these.

  /** What evidence says of just these values: a mark of the course, its word, and what it is about. */
  evidence() {
    return null;
  }

  /** Why values that are good each for itself do not go together. */
  together() {
    return null;
  }

  /** The number that a field stays below, by the name that the page gives it. */
  bound(name, values) {
    return values[name];
  }

  /** Places that a field's slider marks. */
  marks() {
    return [];
  }

  connectedCallback() {
    if (!this.live) this.#wake();
    this.left = new AbortController();
    document.addEventListener("gpu100:gpu", ({ detail }) => this.#follow(detail.slug), { signal: this.left.signal });
    this.observer = new ResizeObserver(() => this.#draw());
    this.observer.observe(this.stage);
    this.#follow(document.documentElement.dataset.gpu); // as gpu.js keeps it
  }

  disconnectedCallback() {
    this.left.abort();
    this.observer.disconnect();
  }

  #wake() {
    const part = (name) => this.querySelector(`.widget-${name}`);
    this.gpus = JSON.parse(this.querySelector("template").content.textContent);
    [this.live, this.fault, this.stage, this.said] = ["live", "fault", "stage", "said"].map(part);
    this.select = part("gpu");
    for (const input of this.live.querySelectorAll("[name]")) {
      const field = { input, place: input.parentElement, label: input.labels[0].textContent, name: input.name, ...input.dataset };
      field.low = Number(input.min);
      field.slider = input.type === "number" && field.place.querySelector("[type=range]");
      this.#fields.push(field);
      this.values[field.name] = field.slider ? (field.wish = Number(input.value)) : input.value;
    }
    this.live.addEventListener("input", ({ target }) => this.#changed(target));
    part("table").open = false;
    this.dataset.live = "";
  }

  /** The page's GPU where this widget knows it, else the widget's first. */
  #follow(slug) {
    this.gpu = this.gpus.find((gpu) => gpu.slug === slug) ?? this.gpus[0];
    if (this.select) this.select.value = this.gpu.slug;
    for (const field of this.#fields) if (!field.touched && this.gpu && field.name in this.gpu.start) field.input.value = field.wish = this.gpu.start[field.name];
    this.#update();
  }

  #changed(target) {
    if (target === this.select) return this.#follow(target.value);
    const field = this.#fields.find(({ input, slider }) => target === input || target === slider);
    field.touched = true;
    if (target === field.slider) field.input.value = field.stops?.[target.value] ?? target.value;
    this.#update(field);
  }

  /** Reads the fields. If all are good, draws; else says what is wrong and leaves the picture as it is. */
  #update(changed) {
    const values = { ...this.values };
    let wrong;
    for (const field of this.#fields) {
      const { name, input, slider, only, below, limit } = field;
      field.place.hidden = Boolean(only) && only !== values[this.#fields[0].name];
      if (field.place.hidden) continue;
      if (!slider) {
        values[name] = input.type === "checkbox" ? input.checked : input.value;
        continue;
      }
      const high = below ? this.bound(below, values) - 1 : limit ? this.gpu.limits[limit] : Number(field.high);
      // What another field, or another GPU, does not allow moves to what it does, and comes back when it may.
      if (field !== changed && !field.wrong) input.value = Math.min(field.wish, high);
      const { value, fault } = read(field, input.value, high);
      field.wrong = fault;
      if (fault) wrong ??= { field, fault };
      else values[name] = value;
      if (!fault && field === changed) field.wish = value;
      this.#slide(field, values[name], high);
    }
    const apart = !wrong && this.together(values);
    if (apart) wrong = { field: changed, fault: apart };
    this.fault.replaceChildren(...(wrong ? [made("span", "mark failed", "Not drawn."), ` ${wrong.fault}`] : []));
    for (const field of this.#fields) field.input.setAttribute("aria-invalid", field === wrong?.field);
    if (wrong) return;
    this.values = values;
    this.#draw(true);
  }

  #slide(field, value, high) {
    const { slider, low, name, log } = field;
    if (field.reach !== high) {
      field.reach = field.input.max = high;
      if (log) field.stops = stops(low, high, field.decimals);
      slider.min = log ? 0 : low;
      slider.max = log ? field.stops.length - 1 : high;
      slider.list?.replaceChildren(...this.marks(name).map((mark) => new Option("", mark)));
    }
    slider.value = log ? field.stops.findIndex((stop) => stop >= value) : value;
    slider.setAttribute("aria-valuetext", number(value));
  }

  #draw(anew) {
    const width = this.stage.clientWidth;
    if (!width || (!anew && width === this.#width)) return;
    this.#width = width;
    const { height, inside, name } = this.picture(width);
    this.stage.innerHTML = `<svg width="${width}" height="${Math.ceil(height)}" role="img">${inside}</svg>`;
    this.stage.firstChild.setAttribute("aria-label", name);
    if (!anew) return;
    const evidence = this.evidence();
    const recorded = evidence ? [made("p", "", made("span", `mark ${evidence.mark}`, evidence.word), ` ${evidence.words}`)] : [];
    this.said.replaceChildren(...this.say().map((sentence) => made("p", "", sentence)), ...recorded);
  }
}
