/** What the site keeps in the reader's browser: under names of its own, and sent nowhere. */

const PREFIX = "gpu100.";

/** What a browser would not keep: it holds until the page is left. */
const unkept = new Map();

/** What is kept under `name`; null where nothing is. */
export function recall(name) {
  if (unkept.has(name)) return unkept.get(name);
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

export function keep(name, text) {
  try {
    localStorage.setItem(PREFIX + name, text);
    unkept.delete(name);
  } catch {
    unkept.set(name, text);
  }
}

/** Forgets what is kept under `name`, or all of it. */
export function forget(name) {
  if (name) unkept.delete(name);
  else unkept.clear();
  try {
    for (const key of Object.keys(localStorage)) {
      if (key === PREFIX + name || (!name && key.startsWith(PREFIX))) localStorage.removeItem(key);
    }
  } catch {
    // Where nothing can be read, nothing was kept.
  }
}

/** Calls `then` when what is kept may have changed behind the page's back. */
export function whenChanged(then) {
  addEventListener("storage", ({ key }) => (key === null || key.startsWith(PREFIX)) && then());
  // A page that the browser kept alive and shows again may be older than what is kept.
  addEventListener("pageshow", ({ persisted }) => persisted && then());
}

/** An element with classes and text. */
export function element(tag, classes = "", text = "") {
  const made = document.createElement(tag);
  if (classes) made.className = classes;
  made.textContent = text;
  return made;
}
