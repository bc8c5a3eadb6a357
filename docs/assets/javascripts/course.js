/** The site's own script: what a page can do beyond being read. Every page is complete without it. */
import { mountGpuChoice } from "./gpu.js";
import { mountQuizzes } from "./quiz.js";

function mount() {
  mountQuizzes(document);
  mountGpuChoice(document);
}

// Material announces each page it shows on document$; elsewhere there is the one page.
if (window.document$) window.document$.subscribe(mount);
else mount();
