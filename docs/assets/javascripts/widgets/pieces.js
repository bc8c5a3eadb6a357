/** Numbers, what is typed into a field, and pieces of a picture. No DOM in here. */

/** A number as the pages show it: whole ones with commas, others with three digits. */
export const number = (value) =>
  value.toLocaleString("en-US", Number.isInteger(value) ? {} : { maximumSignificantDigits: Math.max(3, String(Math.trunc(value)).length) });

/** `1 block`, `2 blocks`. */
export const count = (value, noun) => `${number(value)} ${value === 1 ? noun.replace(/s$/, "") : noun}`;

/** What stands in a field: its value, or a fault that explains the limit in words. */
export function read({ label, low, why, decimals }, typed, high) {
  const range = `from ${number(low)} to ${number(high)}`;
  const value = typed.trim() ? Number(typed) : NaN;
  if (!(decimals ? Number.isFinite(value) : Number.isInteger(value))) return { fault: `${label}: a ${decimals ? "" : "whole "}number ${range} belongs here.` };
  if (value < low) return { fault: `${label}: ${number(value)} is too little. It goes ${range}.` };
  if (value > high) return { fault: `${label}: ${number(value)} is too much. It goes ${range}${why ? `; ${why}` : ""}.` };
  return { value };
}

/** Where a slider that moves by factors stops: every power of two, and up to seven places between two. */
export function stops(low, high, decimals) {
  const found = [low];
  for (let step = Math.ceil(8 * Math.log2(low)); 2 ** (step / 8) < high; step++) {
    const stop = decimals ? Number((2 ** (step / 8)).toPrecision(3)) : Math.round(2 ** (step / 8));
    if (stop > found.at(-1) && stop < high) found.push(stop);
  }
  return high > low ? [...found, high] : found;
}

// Colors and strokes are classes of widgets.css.

const round = (value) => Math.round(value * 100) / 100;

export const rect = (x, y, width, height, classes) =>
  `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" class="${classes}"/>`;

export const text = (x, y, words, classes) => `<text x="${round(x)}" y="${round(y)}" class="${classes}">${words}</text>`;

export const path = (d, classes) => `<path d="${d}" class="${classes}"/>`;

/** A line through points. */
export const line = (classes, ...points) => path(`M${points.map((point) => point.map(round)).join("L")}`, classes);

export const dot = (x, y, classes) => `<circle cx="${round(x)}" cy="${round(y)}" r="4.5" class="${classes}"/>`;
