/**
 * The reader's GPU, chosen in the header and kept in this browser. Panels, numbers in sentences and
 * the map follow it; where a page has no record of that GPU it says so, and shows the reference GPU's,
 * marked. Whoever else follows it (figures, plots) listens to `gpu100:gpu` on the document, and finds
 * the choice in `document.documentElement.dataset.gpu` at any time.
 */
import { element, forget, keep, recall, whenChanged } from "./kept.js";

const KEY = "gpu";

/** What is chosen by a reader who has none. */
export const NONE = "none";

/**
 * The choice that holds, and a kept one that no longer can. No DOM in here.
 *
 * @param {string[]} gpus  the recorded GPUs, the reference GPU first
 * @param {unknown} wanted  what was kept, by this site or whatever else; null where nothing was
 */
export function choose(gpus, wanted) {
  const holds = wanted === NONE || gpus.includes(wanted);
  return { slug: holds ? wanted : gpus[0], gone: holds ? null : wanted };
}

/**
 * Whose record a page shows for a choice, among those it has. No DOM in here.
 *
 * @param {string[]} recorded  the GPUs of the page's records, the reference GPU first
 */
export function shown(recorded, slug) {
  return recorded.includes(slug) ? slug : recorded[0];
}

/** The header's element, and what its options call each GPU. */
const control = () => document.querySelector("#gpu-choice");
const optionOf = (slug) => [...control().options].find(({ value }) => value === slug);
const nameOf = (slug) => optionOf(slug)?.dataset.name ?? slug;

/** What the page said of a value before anything was chosen, by its element. */
const written = new WeakMap();

/** Where programs run without a GPU: an address that holds on every page. */
let without = null;

/** Makes the page that is shown follow the choice; the header's control is there on every page. */
export function mountGpuChoice() {
  const select = control();
  if (!select) return;
  if (!("live" in select.dataset)) {
    select.dataset.live = "";
    if (select.dataset.without) without = new URL(select.dataset.without, location.href).href;
    select.addEventListener("change", () => {
      keep(KEY, select.value);
      follow();
    });
    whenChanged(follow);
  }
  follow();
}

function follow() {
  const select = control();
  const gpus = [...select.options].map(({ value }) => value).filter((value) => value !== NONE);
  const { slug, gone } = choose(gpus, recall(KEY));
  select.value = slug;
  document.documentElement.dataset.gpu = slug;
  say(gone, gpus[0]);
  document.querySelectorAll(".evidence:has(> .record)").forEach((panel) => showPanel(panel, slug));
  showValues(slug);
  showHeader(slug, gpus[0]);
  showMap(slug === NONE ? gpus[0] : slug);
  document.dispatchEvent(new CustomEvent("gpu100:gpu", { detail: { slug } }));
}

function showPanel(panel, slug) {
  const records = [...panel.querySelectorAll(":scope > .record")];
  const whose = shown(records.map((record) => record.dataset.gpu), slug);
  for (const record of records) record.hidden = record.dataset.gpu !== whose;
  panel.querySelector(":scope > .stands-in")?.remove();
  if (whose === slug) return;
  const note = element("p", "record-note stands-in");
  if (slug === NONE) note.append(`Recorded on ${nameOf(whose)}. `, ...advice());
  else {
    const missing = `${nameOf(slug)} has not run this program for the record. This is what ${nameOf(whose)} did.`;
    note.append(element("span", "mark missing", "not measured yet"), ` ${missing}`);
  }
  panel.prepend(note);
}

/** What a reader without a GPU can do. */
function advice() {
  if (!without) return [];
  const link = element("a", "", "run it without a GPU");
  link.href = without;
  return ["You can ", link, " too, on the SIMT model."];
}

function showValues(slug) {
  const data = dataOf();
  document.querySelectorAll(".value + .whose").forEach((mark) => mark.remove());
  for (const value of document.querySelectorAll("[data-value]")) {
    const { className, title } = value;
    if (!written.has(value)) written.set(value, { text: value.textContent, classes: className, title });
    const own = data?.[slug]?.[value.dataset.value];
    const { text, classes, title: told } = own ?? written.get(value);
    value.textContent = text;
    value.className = classes;
    value.title = told;
    // A number that is not the chosen GPU's says whose it is.
    const { of } = value.dataset;
    if (own || !of || of === slug || slug === NONE) continue;
    value.after(element("span", "whose", `\u00a0(${optionOf(of)?.text ?? of})`));
  }
}

function dataOf() {
  try {
    return JSON.parse(document.querySelector("#gpu100-data").content.textContent);
  } catch {
    return null;
  }
}

/** A day's header says whose numbers the page shows. */
function showHeader(slug, reference) {
  const place = document.querySelector("[data-shown]");
  if (!place) return;
  const recorded = [...document.querySelectorAll(".record")].map((record) => record.dataset.gpu);
  const whose = shown(recorded, slug) ?? reference;
  const words = nameOf(whose) + (whose === reference ? ", the reference GPU" : "");
  const lacking = slug !== NONE && whose !== slug;
  place.replaceChildren(words, ...(lacking ? [element("span", "lacking", `; no record of ${nameOf(slug)} yet`)] : []));
}

/** A published day is verified on the reader's GPU, or it is not. */
function showMap(slug) {
  for (const cell of document.querySelectorAll(".cell[data-verified]")) {
    const { status, verified } = cell.dataset;
    const holds = status === "published" && verified.split(" ").includes(slug);
    cell.classList.remove("verified", status);
    cell.classList.add(holds ? "verified" : status);
  }
  for (const entry of document.querySelectorAll(".legend [data-mark]:not([data-mark=visited])")) {
    const count = document.querySelectorAll(`.map .cell.${entry.dataset.mark}`).length;
    entry.hidden = !count;
    entry.querySelector(".count").textContent = count;
  }
}

/** Says at the foot of the window that a kept choice is no longer there. */
function say(gone, instead) {
  document.querySelector(".fallen-back")?.remove();
  if (gone === null) return;
  const named = /^[a-z0-9-]{1,40}$/.test(gone) ? `The GPU you chose, ${gone},` : "What was chosen as your GPU";
  const note = element("div", "fallen-back");
  note.setAttribute("role", "status");
  const dismiss = element("button", "", "Dismiss");
  dismiss.type = "button";
  dismiss.addEventListener("click", () => {
    forget(KEY);
    note.remove();
    control().focus();
  });
  note.append(element("p", "", `${named} is not among those recorded now. Pages show ${nameOf(instead)}.`), dismiss);
  document.body.append(note);
}
