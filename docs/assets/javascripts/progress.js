/**
 * Where the reader is: the days visited, and the last place. Kept in this browser until the reader
 * has it forgotten, and sent nowhere.
 */
import { mountGpuChoice } from "./gpu.js";
import { forget, keep, recall, whenChanged } from "./kept.js";

const KEY = "days";

/**
 * What was kept, made sound: by this site, an older one, or whatever else. No DOM in here.
 *
 * @returns {{visited: number[], last: {day: number, id: string, section: string} | null}}
 */
export function parse(text) {
  let kept = null;
  try {
    kept = JSON.parse(text);
  } catch {
    // Then it is as if there were nothing.
  }
  const isDay = (day) => Number.isInteger(day) && day >= 1 && day <= 100;
  const days = Array.isArray(kept?.visited) ? kept.visited.filter(isDay) : [];
  const { day, id, section } = kept?.last ?? {};
  const word = (said) => (typeof said === "string" ? said.slice(0, 200) : "");
  return {
    visited: [...new Set(days)].sort((a, b) => a - b),
    last: isDay(day) ? { day, id: word(id), section: word(section) } : null,
  };
}

/** What is kept once `day` was opened: its place stays where it was last. No DOM in here. */
export function visit({ visited, last }, day) {
  const days = visited.includes(day) ? visited : [...visited, day].sort((a, b) => a - b);
  return { visited: days, last: last?.day === day ? last : { day, id: "", section: "" } };
}

const dayShown = () => Number(document.querySelector(".day-header")?.dataset.day) || null;
const recalled = () => parse(recall(KEY));

let listening = false;
let waiting = null;

/** Notes the day that is shown, and shows what is kept where the page has a place for it. */
export function mountProgress() {
  if (!listening) {
    listening = true;
    addEventListener("scroll", () => (waiting ??= setTimeout(noteSection, 300)), { passive: true });
    whenChanged(show);
  }
  const day = dayShown();
  if (day) keep(KEY, JSON.stringify(visit(recalled(), day)));
  const button = document.querySelector("[data-forget]");
  if (button) button.onclick = () => forgetAll(button);
  show();
}

/** The section whose heading was passed last. */
function noteSection() {
  waiting = null;
  const day = dayShown();
  if (!day) return;
  const passed = [...document.querySelectorAll("article h2[id]")].filter(
    (heading) => heading.getBoundingClientRect().top < innerHeight / 3,
  );
  const heading = passed.at(-1);
  const section = heading?.textContent.replace("¶", "").trim() ?? "";
  keep(KEY, JSON.stringify({ ...recalled(), last: { day, id: heading?.id ?? "", section } }));
}

function show() {
  const { visited, last } = recalled();
  for (const cell of document.querySelectorAll(".map [data-day]")) {
    const day = Number(cell.dataset.day);
    cell.classList.toggle("visited", visited.includes(day));
    cell.classList.toggle("last", day === last?.day);
  }
  for (const item of document.querySelectorAll(".module li[data-day]")) {
    item.classList.toggle("visited", visited.includes(Number(item.dataset.day)));
  }
  const count = document.querySelector("[data-mark=visited] .count");
  if (count) count.textContent = visited.length;
  const figure = document.querySelector(".day-cell .visited");
  figure?.setAttribute("d", visited.map((day) => `M${((day - 1) % 10) * 10 + 1} ${Math.floor((day - 1) / 10) * 10 + 5}h8`).join(""));
  showStart(last);
}

/** The way in leads to where the reader left off. */
function showStart(last) {
  const [link, where] = ["a", ".where"].map((part) => document.querySelector(`.start ${part}`));
  if (!link) return;
  link.dataset.first ??= JSON.stringify([link.getAttribute("href"), link.textContent, where.textContent]);
  const [href, text, words] = JSON.parse(link.dataset.first);
  const cell = last && document.querySelector(`.map a[data-day="${last.day}"]`);
  link.href = cell ? cell.getAttribute("href") + (last.id && `#${encodeURIComponent(last.id)}`) : href;
  link.textContent = cell ? `Go on with day ${last.day}` : text;
  const title = cell?.title.replace(/^Day \d+: /, "");
  if (cell) where.textContent = last.section ? `${title}, at “${last.section}”` : title;
  else where.textContent = last ? `Day ${last.day}, where you were, has no page now` : words;
}

function forgetAll(button) {
  forget();
  document.querySelector(".start [role=status]").textContent = "Forgotten.";
  button.hidden = true;
  show();
  mountGpuChoice();
}
