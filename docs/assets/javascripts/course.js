/** The site's own script: what a page can do beyond being read. Every page is complete without it. */
import { mountGpuChoice } from "./gpu.js";
import { mountPlots } from "./plots.js";
import { mountProgress } from "./progress.js";
import { mountQuizzes } from "./quiz.js";
import { mountWidgets } from "./widgets.js";

function mount() {
  mountQuizzes(document);
  mountGpuChoice();
  mountPlots();
  mountProgress();
  mountWidgets(document);
}

/** What Material adds to a page once it is there, made fit for screen readers and the keyboard. */
function mend() {
  // Each copy button is in a navigation of its own. A page has dozens, and none leads anywhere.
  for (const nav of document.querySelectorAll(".md-code__nav:not([role])")) nav.setAttribute("role", "presentation");
  for (const box of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex], .table-scroll *)")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
}

// Not at once, and not at every change: whether a box scrolls is known only after a layout of the whole page.
let waiting = null;
function mendLater() {
  waiting ??= setTimeout(() => {
    waiting = null;
    mend();
  }, 200);
}
new MutationObserver(mendLater).observe(document.body, { childList: true, subtree: true });
mendLater();

// Material announces each page it shows on document$; elsewhere there is the one page.
if (window.document$) window.document$.subscribe(mount);
else mount();
