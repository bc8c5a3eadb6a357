/**
 * Plots follow the reader's GPU, as gpu.js tells of it: its series stand out and lie above the others.
 * Where a plot has none of them the reference GPU's do, as they do without this file, and a line says so.
 */
import { shown } from "./gpu.js";

let listens = false;

/** Makes the plots of the page follow the choice, from now on and after each change. */
export function mountPlots() {
  if (!listens) document.addEventListener("gpu100:gpu", follow);
  listens = true;
  follow();
}

function follow() {
  const slug = document.documentElement.dataset.gpu;
  for (const plot of document.querySelectorAll(".plot[data-gpus]")) {
    const whose = shown(plot.dataset.gpus.split(" "), slug);
    for (const part of plot.querySelectorAll("[data-gpu]")) {
      const chosen = part.dataset.gpu === whose;
      part.classList.toggle("chosen", chosen);
      if (chosen && part.matches("svg *")) part.parentNode.append(part);
    }
    for (const note of plot.querySelectorAll("[data-absent]")) note.hidden = note.dataset.absent !== slug;
  }
}
