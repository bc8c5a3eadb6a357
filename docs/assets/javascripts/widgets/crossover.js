/** When the GPU wins. Times are in µs, rates in GB/s. */
import { Figure } from "./figure.js";
import { count, dot, line, number, rect, text } from "./pieces.js";

const PLOT = 250;
const LEFT = 54;
const [LOW, HIGH] = [2, 9];

/**
 * `kernels` vector adds of `n` floats: on the CPU, or copied in, added on the GPU and copied out.
 * As gpu100.render.widgets.models, like the two below; no DOM in here.
 */
export function times(n, kernels, { copy_in, copy_out, gpu, cpu, launch }) {
  const per = (bytes, rate) => (bytes * n) / rate / 1e3;
  const took = { cpu: kernels * per(12, cpu), copyIn: per(8, copy_in), kernels: kernels * (launch + per(12, gpu)), copyOut: per(4, copy_out) };
  return { ...took, gpu: took.copyIn + took.kernels + took.copyOut };
}

/** The number of elements at which both take as long; null where the GPU never catches up. */
export function evenAt(kernels, rates) {
  const { cpu, gpu } = times(1, kernels, { ...rates, launch: 0 });
  return cpu > gpu ? (kernels * rates.launch) / (cpu - gpu) : null;
}

/** The fewest kernels on `n` floats with which the GPU wins, copies included; null where no number does. */
export function kernelsNeeded(n, rates) {
  const { cpu, copyIn, kernels, copyOut } = times(n, 1, rates);
  return cpu > kernels ? Math.floor((copyIn + copyOut) / (cpu - kernels)) + 1 : null;
}

const rounded = (value) => number(Number(value.toPrecision(3)));

/** A time in the unit that fits it. */
const time = (us) => (us < 1000 ? `${rounded(us)} µs` : us < 1e6 ? `${rounded(us / 1e3)} ms` : `${rounded(us / 1e6)} s`);

export default class Crossover extends Figure {
  picture(width) {
    const { n, kernels } = this.values;
    const took = times(n, kernels, this.values);
    return {
      height: 138 + PLOT + 42,
      inside: this.#bars(width, took) + this.#plot(width, 138),
      name: `Time by number of elements; at ${number(n)} the ${took.gpu < took.cpu ? "GPU" : "CPU"} is faster`,
    };
  }

  /** The two ways at the chosen size, to one scale. */
  #bars(width, { cpu, gpu, copyIn, kernels, copyOut }) {
    const room = (width - LEFT - 84) / Math.max(cpu, gpu);
    let inside = text(0, 12, `${count(this.values.n, "elements")}, ${count(this.values.kernels, "kernels")}`, "soft");
    const bar = (y, name, whole, ...parts) => {
      inside += text(0, y + 17, name, "strong") + text(LEFT + whole * room + 7, y + 17, time(whole), "strong");
      let x = LEFT;
      for (const [us, classes, what] of parts) {
        inside += rect(x, y, us * room, 26, classes);
        if (us * room > 8 * what.length) inside += text(x + 6, y + 17, what, `small ${classes === "dram" ? "on-dark" : ""}`);
        x += us * room;
      }
    };
    bar(24, "CPU", cpu, [cpu, "host", ""]);
    bar(58, "GPU", gpu, [copyIn, "copy", "copy in"], [kernels, "dram", "kernels"], [copyOut, "copy", "copy out"]);
    return inside;
  }

  #plot(width, top) {
    const { n, kernels } = this.values;
    const right = width - (width < 520 ? 84 : 96);
    const bottom = top + PLOT;
    const at = (power) => times(10 ** power, kernels, this.values);
    const ways = [["CPU", "cpu", "host-line"], ["GPU, copies", "gpu", "gpu-line"], ["kernels alone", "kernels", "dram-line"]];
    const ends = [LOW, HIGH].flatMap((power) => ways.map(([, way]) => Math.log10(at(power)[way])));
    const [low, high] = [Math.floor(Math.min(...ends)), Math.ceil(Math.max(...ends))];
    const x = (power) => LEFT + ((power - LOW) / (HIGH - LOW)) * (right - LEFT);
    const y = (us) => bottom - ((Math.log10(us) - low) / (high - low)) * PLOT;
    let inside = text(0, top - 14, "time", "soft") + text(LEFT, bottom + 35, "elements", "soft");
    for (let power = low; power <= high; power += high - low > 7 ? 2 : 1) {
      const level = y(10 ** power);
      inside += line(power > low ? "grid" : "axis", [LEFT, level], [right, level]) + text(LEFT - 7, level + 4, time(10 ** power), "small soft end");
    }
    for (let power = LOW; power <= HIGH; power++) inside += text(x(power), bottom + 17, `10${"⁰¹²³⁴⁵⁶⁷⁸⁹"[power]}`, "small soft middle");
    const here = Math.log10(n);
    inside += line("mark-line", [x(here), top], [x(here), bottom]);
    for (const [, way, classes] of ways) {
      inside += line(classes, ...Array.from({ length: 57 }, (_, step) => LOW + step / 8).map((power) => [x(power), y(at(power)[way])]));
      inside += dot(x(here), y(at(here)[way]), "here");
    }
    let free = 0;
    for (const [level, name] of ways.map(([name, way]) => [y(at(HIGH)[way]) + 4, name]).sort(([one], [other]) => one - other)) {
      free = Math.max(level, free);
      inside += text(right + 6, free, name, "small");
      free += 15;
    }
    const even = evenAt(kernels, this.values);
    if (even >= 10 ** LOW && even <= 10 ** HIGH) {
      const [ex, ey] = [x(Math.log10(even)), y(at(Math.log10(even)).cpu)];
      const end = ex > (LEFT + right) / 2;
      inside += dot(ex, ey, "even-dot") + text(ex + (end ? -10 : 10), ey + (end ? -8 : 18), `even at ${rounded(even)}`, `strong halo ${end ? "end" : ""}`);
    }
    return inside;
  }

  say() {
    const { n, kernels } = this.values;
    const { cpu, gpu, copyIn, copyOut } = times(n, kernels, this.values);
    const even = evenAt(kernels, this.values);
    const needed = kernelsNeeded(n, this.values);
    return [
      `${count(kernels, "kernels")} on ${count(n, "elements")}: the CPU takes ${time(cpu)}, the GPU ${time(gpu)}, ${time(copyIn + copyOut)} of that for ` +
        `copies. The ${gpu < cpu ? "GPU" : "CPU"} is faster, by a factor of ${rounded(Math.max(cpu, gpu) / Math.min(cpu, gpu))}.`,
      `With ${count(kernels, "kernels")} the GPU wins ${even ? `from ${rounded(even)} elements on` : "at no size"}. ` +
        `At ${count(n, "elements")} ${needed ? `it wins from ${count(needed, "kernels")} on` : "no number of kernels helps"}.`,
    ];
  }

  evidence() {
    if (!this.gpu) return null;
    const { start, name, stale, day } = this.gpu;
    const whose = "cpu" in start ? ", launch and NumPy" : "";
    return Object.keys(start).every((rate) => start[rate] === this.values[rate])
      ? { mark: stale ? "stale" : "fresh", word: "recorded", words: `Copies, kernel${whose}: day ${day} on the ${name}.${whose ? "" : " The CPU’s rate and the launch are assumed."}` }
      : { mark: "missing", word: "yours", words: "The rates are not all those that were recorded." };
  }
}
