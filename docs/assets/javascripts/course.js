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

// What Material adds to a page once it is there is made fit for screen readers and the keyboard.

/** Each copy button comes in a navigation of its own. A page has dozens, and none leads anywhere. */
function unmarkNavigations() {
  for (const nav of document.querySelectorAll(".md-code__nav:not([role])")) nav.setAttribute("role", "presentation");
}

/** A box that scrolls sideways can be scrolled by the keyboard. */
function reachBoxes() {
  for (const box of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex], .table-scroll *)")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
}

// Not at once, and not at every change: whether a box scrolls is known only after a layout of the whole page.
let waiting = null;
function reachBoxesLater() {
  waiting ??= setTimeout(() => {
    waiting = null;
    reachBoxes();
  }, 200);
}

function mend() {
  unmarkNavigations();
  reachBoxesLater();
}
new MutationObserver(mend).observe(document.body, { childList: true, subtree: true });
mend();

// Material announces each page it shows on document$; elsewhere there is the one page.
if (window.document$) window.document$.subscribe(mount);
else mount();
