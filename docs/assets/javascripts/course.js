/** The site's own script: what a page can do beyond being read. Every page is complete without it. */
import { mountQuizzes } from "./quiz.js";

// Material announces each page it shows on document$; elsewhere there is the one page.
if (window.document$) window.document$.subscribe(() => mountQuizzes(document));
else mountQuizzes(document);
