/** A grid runs in waves. */
import { Figure } from "./figure.js";
import { count, dot, line, number, rect, text } from "./pieces.js";

const PLOT = 190;
const LEFT = 34;

/**
 * A grid of equally long blocks: how many run at once, full waves, blocks of the tail, times of one block, and the
 * share of the places that is used. As gpu100.render.widgets.models; no DOM in here.
 */
export function waves(blocks, sms, perSm) {
  const capacity = sms * perSm;
  const tail = blocks % capacity;
  const full = (blocks - tail) / capacity;
  const steps = full + (tail > 0 ? 1 : 0);
  return { capacity, full, tail, steps, used: blocks / (steps * capacity) };
}

/** Blocks on an SM, where `blocks` of them are dealt out one to an SM in turn. */
export const onSm = (sm, blocks, sms) => Math.floor(blocks / sms) + (sm < blocks % sms ? 1 : 0);

export default class Waves extends Figure {
  get found() {
    return waves(this.values.blocks, this.gpu.sms, this.values.per_sm);
  }

  picture(width) {
    const { steps, tail } = this.found;
    const chips = this.#chips(width);
    const top = chips.height + 48;
    const last = tail ? `${count(tail, "blocks")} in the last` : "all of them full";
    return {
      height: top + PLOT + 42,
      inside: chips.inside + this.#plot(width, top),
      name: `${count(this.values.blocks, "blocks")} in ${count(steps, "waves")}, ${last}`,
    };
  }

  /** A square for every SM, once for each wave: the first ones and the last one. */
  #chips(width) {
    const { sms } = this.gpu;
    const { capacity, full, tail, steps } = this.found;
    const room = Math.min(steps, width < 520 ? 3 : 4);
    const wide = (width + 16) / Math.max(room, 2) - 16;
    const columns = Math.ceil(Math.sqrt(sms * 1.4));
    const cell = Math.min(22, wide / columns);
    const side = cell - (cell > 12 ? 3 : 1.5);
    let inside = "";
    for (let at = 0; at < room; at++) {
      const wave = at === room - 1 ? steps - 1 : at;
      const left = at * (wide + 16);
      const held = wave < full ? capacity : tail;
      inside += text(left, 13, `${wave > at ? "… " : ""}wave ${number(wave + 1)}`, "strong") + text(left, 29, count(held, "blocks"), "small soft");
      for (let sm = 0; sm < sms; sm++) {
        const x = left + (sm % columns) * cell + 0.5;
        const y = 38.5 + Math.floor(sm / columns) * cell;
        const share = onSm(sm, held, sms) / this.values.per_sm;
        inside += rect(x, y + (1 - share) * side, side, share * side, "block");
        if (share < 1 || cell > 12) inside += rect(x, y, side, side, share ? "frame sm thin" : "hollow");
      }
    }
    return { inside, height: 38 + Math.ceil(sms / columns) * cell };
  }

  /** Time by number of blocks: a staircase, and the straight line that it never goes below. */
  #plot(width, top) {
    const { blocks } = this.values;
    const { capacity, steps } = this.found;
    const first = Math.max(0, steps - 4);
    const last = first + 5;
    const right = width - 8;
    const bottom = top + PLOT;
    const x = (waves) => LEFT + ((waves - first) / 5) * (right - LEFT);
    const y = (time) => bottom - ((time - first) / 5) * PLOT;
    let inside = text(0, top - 12, "time, one block’s being 1", "soft") + text(LEFT, bottom + 34, "blocks of the grid", "soft");
    for (let step = first; step <= last; step++) {
      inside += line(step > first ? "grid" : "axis", [LEFT, y(step)], [right, y(step)]) + text(LEFT - 8, y(step) + 4, number(step), "small soft end");
      const anchor = step === last ? "end" : step > first ? "middle" : "";
      if (step === first || width > 520 || (step - first) % 2) inside += text(x(step), bottom + 17, number(step * capacity), `small soft ${anchor}`);
    }
    inside += line("even", [LEFT, bottom], [right, top]) + text(right, top + 14 + (84 / (right - LEFT)) * PLOT, "without steps", "small soft end halo");
    for (let step = first; step < last; step++) {
      if (step > first) inside += line("riser", [x(step), y(step)], [x(step), y(step + 1)]);
      inside += line("stairs", [x(step), y(step + 1)], [x(step + 1), y(step + 1)]);
    }
    const [px, py] = [x(blocks / capacity), y(steps)];
    const end = px > width / 2;
    inside += line("mark-line", [px, py], [px, bottom]) + dot(px, py, "here");
    return inside + text(px + (end ? -8 : 8), py - 10, `${count(blocks, "blocks")}: ${number(steps)}`, `strong halo ${end ? "end" : ""}`);
  }

  say() {
    const { name, sms, published } = this.gpu;
    const { blocks, per_sm: perSm } = this.values;
    const { capacity, full, tail, steps, used } = this.found;
    return [
      `${count(sms, "SMs")} with ${count(perSm, "blocks")} each hold ${count(capacity, "blocks")} at once (${name}, ${published ? "published" : "recorded"}). ` +
        `${count(blocks, "blocks")} are ${count(full, "full waves")}${tail ? ` and a tail of ${count(tail, "blocks")}` : ""}, as long as ` +
        `${steps > 1 ? `${number(steps)} blocks one after another` : "one block"}, with ${number(100 * used)}% of the places used.` +
        (tail && full ? ` Without the tail it would be ${number(full)}.` : ""),
    ];
  }
}
