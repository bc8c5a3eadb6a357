/** Which thread gets which index. */
import { Figure } from "./figure.js";
import { count, number, path, rect, text } from "./pieces.js";

const CELL = 30;
const HEAD = 22;
const WARP = 32;

/** How a thread may work out its index, and how that reads. As gpu100.render.widgets.models, like those below. */
export const FORMULAS = {
  "blockIdx.x * blockDim.x + threadIdx.x": [(b, t, threads) => b * threads + t, (b, t, threads) => `${b} × ${threads} + ${t} = `],
  "threadIdx.x": [(b, t) => t, () => ""],
  "blockIdx.x * gridDim.x + threadIdx.x": [(b, t, threads, blocks) => b * blocks + t, (b, t, threads, blocks) => `${b} × ${blocks} + ${t} = `],
  "threadIdx.x * blockDim.x + blockIdx.x": [(b, t, threads) => t * threads + b, (b, t, threads) => `${t} × ${threads} + ${b} = `],
  "blockIdx.x * threadIdx.x": [(b, t) => b * t, (b, t) => `${b} × ${t} = `],
  "threadIdx.x * gridDim.x + blockIdx.x": [(b, t, threads, blocks) => t * blocks + b, (b, t, threads, blocks) => `${t} × ${blocks} + ${b} = `],
};

/** What a launch does to `n` elements: those of one thread, of more, of none; and threads with no element. */
export function coverage(n, blocks, threads, formula) {
  const [index] = FORMULAS[formula];
  const got = new Uint8Array(n);
  const tally = [0, 0, 0];
  let beyond = 0;
  for (let block = 0; block < blocks; block++)
    for (let thread = 0; thread < threads; thread++) {
      const i = index(block, thread, threads, blocks);
      if (i >= n) beyond++;
      else if (got[i] < 2) got[i]++;
    }
  for (const threads of got) tally[threads]++;
  return { never: tally[0], once: tally[1], more: tally[2], beyond };
}

/** An image cut into blocks, rounded up in both directions. */
export function tiles(width, height, blockX, blockY) {
  const [across, down] = [Math.ceil(width / blockX), Math.ceil(height / blockY)];
  const threads = across * blockX * down * blockY;
  return { across, down, threads, idle: threads - width * height };
}

/** The warp of the thread at (x, y) of a grid, as runs along its rows: 32 threads of a block, x counting fastest. */
export function warpAt(x, y, blockX, blockY) {
  const [left, top] = [x - (x % blockX), y - (y % blockY)];
  const own = (y - top) * blockX + x - left;
  const end = Math.min(own - (own % WARP) + WARP, blockX * blockY);
  const runs = [];
  for (let at = own - (own % WARP); at < end; at += runs.at(-1).length)
    runs.push({ x: left + (at % blockX), y: top + Math.floor(at / blockX), length: Math.min(blockX - (at % blockX), end - at) });
  return runs;
}

/** Some of `total` in order, `room` at most: the first, `look`, and the last; -1 for those left out between. */
export function pick(total, room, look) {
  const first = (length) => Array.from({ length }, (_, at) => at);
  if (total <= room) return first(total);
  if (look < room - 2 || look === total - 1) return [...first(room - 2), -1, total - 1];
  return [...first(room - 4), -1, look, ...(look < total - 2 ? [-1] : []), total - 1];
}

/** The thread that is looked at: dark in light, so that it is seen on any ground. */
const look = (...place) => rect(...place, "look-around") + rect(...place, "look");

export default class GridIndex extends Figure {
  get flat() {
    return this.values.shape.startsWith("1");
  }

  bound(name, values) {
    const { width, height, block_x: x, block_y: y } = values;
    return { columns: Math.ceil(width / x) * x, rows: Math.ceil(height / y) * y }[name] ?? values[name];
  }

  together({ shape, block_x: x, block_y: y }) {
    return !shape.startsWith("1") && x * y > 1024 && `A block of ${x} × ${y} has ${number(x * y)} threads, and a block has at most 1,024.`;
  }

  #index(block, thread) {
    const { threads, blocks, formula } = this.values;
    return FORMULAS[formula].map((of) => of(block, thread, threads, blocks));
  }

  picture(width) {
    return this.flat ? this.#array(width) : this.#image(width);
  }

  #array(width) {
    const { n, blocks, threads, guard, block: atBlock, thread: atThread } = this.values;
    const cell = Math.max(CELL, 8 * number(blocks * threads - 1).length + 10);
    const cells = pick(threads, Math.max(5, Math.floor((width - 8) / cell)), atThread);
    const wide = cells.length * cell + 8;
    const across = Math.max(1, Math.floor((width + 10) / (wide + 10)));
    const shown = pick(blocks, Math.max(5, Math.min(12, across * 6)), atBlock);
    const tall = HEAD + CELL + 14;
    let inside = "";
    shown.forEach((block, place) => {
      const left = (place % across) * (wide + 10);
      const top = Math.floor(place / across) * tall;
      if (block < 0) {
        inside += text(left + 6, top + HEAD + 20, "more blocks", "soft");
        return;
      }
      inside += text(left + 2, top + 14, `block ${number(block)}`, "small strong") + rect(left + 1, top + HEAD - 2, wide - 2, CELL + 6, "frame block-line");
      cells.forEach((thread, at) => {
        const place = [left + 5.5 + at * cell, top + HEAD + 2, cell - 3, CELL - 2];
        const [i] = this.#index(block, thread);
        const [kind, ink] = i < n ? ["thread", "on-light"] : guard ? ["empty", "soft"] : ["wild", "wild-text"];
        if (thread >= 0) inside += rect(...place, kind);
        inside += text(place[0] + cell / 2 - 1.5, top + HEAD + 20, thread < 0 ? "…" : number(i), `middle ${thread < 0 ? "soft" : ink}`);
        if (block === atBlock && thread === atThread) inside += look(...place);
      });
    });
    return { height: Math.ceil(shown.length / across) * tall, inside, name: `${count(blocks, "blocks")} of ${count(threads, "threads")} with the index of each` };
  }

  #image(width) {
    const { width: columns, height: rows, block_x: bx, block_y: by, x, y, guard } = this.values;
    const { across, down } = tiles(columns, rows, bx, by);
    const [wide, tall] = [across * bx, down * by];
    const [left, top] = [26, 36];
    const cell = Math.min(30, (width - left - 2) / wide, 460 / tall);
    const place = (x, y, w, h, classes) => rect(left + x * cell, top + y * cell, w * cell, h * cell, classes);
    const lines = (stepX, stepY, classes) => {
      let d = "";
      for (let at = 0; at <= wide; at += stepX) d += `M${left + at * cell} ${top}v${tall * cell}`;
      for (let at = 0; at <= tall; at += stepY) d += `M${left} ${top + at * cell}h${wide * cell}`;
      return path(d, classes);
    };
    let inside = place(0, 0, columns, rows, "thread");
    if (!guard) inside += place(columns, 0, wide - columns, tall, "wild") + place(0, rows, columns, tall - rows, "wild");
    for (const run of warpAt(x, y, bx, by)) {
      const own = run.y < rows ? Math.max(0, Math.min(run.length, columns - run.x)) : 0;
      inside += place(run.x, run.y, own, 1, "warp") + place(run.x + own, run.y, run.length - own, 1, "warp-idle");
    }
    if (cell >= 4) inside += lines(1, 1, "cells");
    inside += lines(bx, by, "block-line frame") + place(0, 0, columns, rows, "image");
    if (cell >= 8 * String(columns * rows - 1).length + 4)
      for (let i = 0; i < columns * rows; i++)
        inside += text(left + ((i % columns) + 0.5) * cell, top + (Math.floor(i / columns) + 0.6) * cell + 1, i, "on-light small middle");
    inside += look(left + x * cell, top + y * cell, cell, cell) + text(left, 11, "blockIdx.x", "small soft") + text(0, 11, ".y", "small soft");
    for (let at = 0; at < across; at += Math.ceil(24 / bx / cell)) inside += text(left + (at + 0.5) * bx * cell, 29, at, "small middle");
    for (let at = 0; at < down; at += Math.ceil(16 / by / cell)) inside += text(12, top + (at + 0.5) * by * cell + 4, at, "small middle");
    return { height: top + tall * cell + 4, inside, name: `An image of ${columns} × ${rows} under ${across} × ${down} blocks of ${bx} × ${by} threads` };
  }

  say() {
    return this.flat ? this.#sayArray() : this.#sayImage();
  }

  #sayArray() {
    const { n, blocks, threads, guard, block, thread, formula } = this.values;
    const { never, once, more, beyond } = coverage(n, blocks, threads, formula);
    const [i, sum] = this.#index(block, thread);
    const does = i < n ? "works on that element" : guard ? "does nothing" : "reaches past the end";
    const rest = [
      more && `${number(more)} have several`,
      never && `${number(never)} have none`,
      beyond && `${count(beyond, "threads")} ${guard ? "without an element do nothing" : "reach past the end"}`,
    ].filter(Boolean);
    return [
      `Thread ${number(thread)} of block ${number(block)}: i = ${sum}${number(i)}. It ${does}.`,
      `${count(blocks * threads, "threads")} for ${count(n, "elements")}: ${[`${number(once)} of the elements have one thread each`, ...rest].join("; ")}. ` +
        `Rounded up, ${number(n)} / ${number(threads)} is ${count(Math.ceil(n / threads), "blocks")}.`,
    ];
  }

  #sayImage() {
    const { width, height, block_x: bx, block_y: by, x, y, guard } = this.values;
    const { across, down, threads, idle } = tiles(width, height, bx, by);
    const inside = x < width && y < height;
    return [
      `Thread (${x % bx}, ${y % by}) of block (${Math.floor(x / bx)}, ${Math.floor(y / by)}): x = ${x}, y = ${y}, ` +
        (inside ? `i = y × ${width} + x = ${number(y * width + x)}.` : `outside the image; ${guard ? "it does nothing" : "it touches what is not its own"}.`),
      `${across} × ${down} blocks have ${count(threads, "threads")}, ${number(idle)} of them beside the image. ` +
        `The warp of that thread, in the darker color, lies in ${count(warpAt(x, y, bx, by).length, "rows")}.`,
    ];
  }
}
