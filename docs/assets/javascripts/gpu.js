/**
 * The reader's GPU. A page shows what every GPU did, one record below the other. Where there is more
 * than one, this file lets the reader choose: each panel shows that GPU's record, and the numbers in
 * the sentences are that GPU's. The choice is kept in this browser, and goes nowhere else.
 */

const KEY = "gpu100.gpu";

/** What is said of a value that a GPU has no record of; as gpu100.render.value says it. */
const MISSING = {
  text: "not measured yet",
  classes: "value missing",
  title: "this GPU has not run this program for the record",
};

/**
 * The GPU to show: the wanted one where the page has it, else the page's first. No DOM in here.
 *
 * @param {string[]} gpus  the page's GPUs, the reference GPU first
 * @param {unknown} wanted  what was stored, by this page or whatever else
 */
export function choose(gpus, wanted) {
  return gpus.includes(wanted) ? wanted : gpus[0];
}

/**
 * What a sentence shows of a value on a GPU. No DOM in here.
 *
 * @param {Object<string, Object<string, {text: string, classes: string, title: string}>>} data
 *   the page's values by GPU and reference
 */
export function shown(data, gpu, reference) {
  return data[gpu]?.[reference] ?? MISSING;
}

/** A choice that the browser would not keep: it holds until the page is left. */
let chosen = null;

/** Shows the choice on the page that is mounted. */
let refresh = () => {};

// A page that the browser kept alive and shows again may be older than the choice.
addEventListener("pageshow", ({ persisted }) => persisted && refresh());

function recall() {
  try {
    return chosen ?? localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function remember(gpu) {
  try {
    localStorage.setItem(KEY, gpu);
    chosen = null;
  } catch {
    chosen = gpu;
  }
}

function dataOf(root) {
  try {
    return JSON.parse(root.querySelector("#gpu100-data").content.textContent);
  } catch {
    return null;
  }
}

/** Gives every evidence panel below `root` a chooser, where there is something to choose. */
export function mountGpuChoice(root) {
  const panels = [...root.querySelectorAll(".evidence:has(> .record)")];
  const records = [...root.querySelectorAll(".evidence > .record")];
  const data = dataOf(root);
  const names = new Map(Object.keys(data ?? {}).map((gpu) => [gpu, gpu]));
  for (const record of records) names.set(record.dataset.gpu, record.querySelector("strong").textContent);
  if (names.size < 2 || panels.some((panel) => "live" in panel.dataset)) return;

  const show = (gpu) => {
    for (const panel of panels) showIn(panel, gpu, names.get(gpu));
    if (!data) return;
    for (const value of root.querySelectorAll("[data-value]")) tell(value, shown(data, gpu, value.dataset.value));
  };
  for (const panel of panels) {
    panel.dataset.live = "";
    panel.prepend(chooser(names, panel.id, (gpu) => (remember(gpu), show(gpu))));
    panel.append(absence());
  }
  refresh = () => show(choose([...names.keys()], recall()));
  refresh();
}

function showIn(panel, gpu, name) {
  const records = [...panel.querySelectorAll(":scope > .record")];
  for (const record of records) record.hidden = record.dataset.gpu !== gpu;
  for (const radio of panel.querySelectorAll(".chooser input")) radio.checked = radio.value === gpu;
  const absent = panel.querySelector(".absent");
  absent.hidden = records.some((record) => !record.hidden);
  absent.querySelector("span:last-child").textContent = `${name} has not run this program for the record.`;
}

function tell(value, { text, classes, title }) {
  value.textContent = text;
  value.className = classes;
  value.title = title;
}

function chooser(names, id, chose) {
  const field = element("fieldset", "chooser");
  field.append(element("legend", "", "Recorded on"));
  for (const [gpu, name] of names) {
    const radio = element("input");
    Object.assign(radio, { type: "radio", name: `${id}-gpu`, value: gpu, autocomplete: "off" });
    const label = element("label");
    label.append(radio, element("span", "", name));
    field.append(label);
  }
  field.addEventListener("change", ({ target }) => chose(target.value));
  return field;
}

/** What stands in a panel whose program the chosen GPU has not run. */
function absence() {
  const note = element("p", "record-note absent");
  note.append(element("span", "mark missing", MISSING.text), " ", element("span"));
  return note;
}

function element(tag, classes = "", text = "") {
  const made = document.createElement(tag);
  if (classes) made.className = classes;
  made.textContent = text;
  return made;
}
