/** How many blocks an SM holds. */
import { Figure } from "./figure.js";
import { count, line, number, rect, text } from "./pieces.js";

const SLOT = 27;
const GAP = 14;
const BAR = 24;
const COLUMNS = 4;

const up = (value, unit) => Math.ceil(value / unit) * unit;

/**
 * Blocks that one SM holds, warps of a block, blocks that each resource would allow by itself, and those that leave no
 * room for another. Limits have the names of gpu100.model.limits. As gpu100.model.occupancy; no DOM in here.
 */
export function residency(limits, threads, registers, shared) {
  const { warp_size: lanes, partitions_per_sm: parts, registers_per_sm: all } = limits;
  const warps = Math.ceil(threads / lanes);
  const ofWarp = up(registers * lanes, limits.register_granularity);
  // Each partition has its own registers, and a warp lies in one of them.
  const inPart = Math.floor(Math.floor(all / parts) / ofWarp);
  // The driver's own kilobyte counts even where the kernel asks for nothing.
  const taken = up(shared + limits.shared_bytes_reserved, limits.shared_granularity);
  const tooMuch = shared > limits.shared_bytes_per_sm - limits.shared_bytes_reserved;
  const allows = {
    blocks: limits.blocks_per_sm,
    warps: Math.floor(limits.warps_per_sm / Math.max(warps, 1)),
    registers: ofWarp && warps ? Math.floor((inPart * parts) / warps) : limits.blocks_per_sm,
    "shared memory": tooMuch ? 0 : taken ? Math.floor(limits.shared_bytes_per_sm / taken) : limits.blocks_per_sm,
  };
  if (threads < 1 || threads > limits.threads_per_block) allows["block size"] = 0;
  if (registers > limits.registers_per_thread || ofWarp * up(warps, parts) > limits.registers_per_block) allows["registers of a block"] = 0;
  const blocks = Math.min(...Object.values(allows));
  return { blocks, warps, allows, limitedBy: Object.keys(allows).filter((name) => allows[name] === blocks) };
}

const named = (resource) => (resource === "blocks" || resource === "warps" ? `places for ${resource}` : resource);
const list = (names) => new Intl.ListFormat("en").format(names);

export default class SmResidency extends Figure {
  get found() {
    const { threads, registers, shared_kib: kib } = this.values;
    return residency(this.gpu.limits, threads, registers, kib * 1024);
  }

  marks(field) {
    return field === "threads" && !this.gpu.answers?.every ? Object.keys(this.gpu.answers?.blocks ?? {}) : [];
  }

  picture(width) {
    const { limits, name } = this.gpu;
    const { blocks, warps, allows, limitedBy } = this.found;
    const parts = limits.partitions_per_sm;
    const across = width < 520 ? 2 : parts;
    const wide = (width + GAP) / across - GAP;
    const tall = Math.ceil(limits.warps_per_sm / parts / COLUMNS) * SLOT + 26;
    const slot = (wide - 10) / COLUMNS;
    const corner = (part) => [(part % across) * (wide + GAP), Math.floor(part / across) * (tall + GAP)];
    let inside = "";
    for (let part = 0; part < parts; part++) {
      const [left, top] = corner(part);
      inside += rect(left + 1, top + 1, wide - 2, tall - 2, "frame sm") + text(left + 8, top + 16, `quarter ${part + 1}`, "small soft");
    }
    for (let warp = 0; warp < limits.warps_per_sm; warp++) {
      const [left, top] = corner(warp % parts);
      const place = Math.floor(warp / parts);
      const [x, y] = [left + 6 + (place % COLUMNS) * slot, top + 23 + Math.floor(place / COLUMNS) * SLOT];
      const share = warp < blocks * warps ? Math.min(1, (this.values.threads - (warp % warps) * 32) / 32) : 0;
      if (share < 1) inside += rect(x + 0.5, y + 0.5, slot - 4, SLOT - 5, "empty");
      if (!share) continue;
      const block = Math.floor(warp / warps);
      const beside = share < 0.5;
      inside += rect(x, y, (slot - 3) * share, SLOT - 4, block % 2 ? "warp odd" : "warp");
      inside += text(x + (beside ? (slot - 3) * share + 4 : 5), y + 15.5, block, beside ? "small" : "small on-light");
    }
    let height = corner(parts - 1)[1] + tall + GAP + 8;
    inside += text(0, height + 8, "Blocks that each would allow", "soft");
    height += 20;
    const most = limits.blocks_per_sm;
    const from = width < 520 ? 128 : 150;
    const room = width - from - 92;
    const held = from + (blocks / most) * room;
    inside += line("mark-line", [held, height], [held, height + BAR * Object.keys(allows).length]);
    for (const [resource, allowed] of Object.entries(allows)) {
      const decides = limitedBy.includes(resource);
      const end = from + Math.min(allowed / most, 1) * room;
      inside += text(0, height + 15, named(resource), decides ? "strong" : "") + rect(from, height + 3, end - from, BAR - 8, resource);
      if (allowed > most) inside += rect(end - 9, height + 2, 3, BAR - 6, "cut");
      inside += text(end + 6, height + 15, number(allowed) + (decides ? ", decides" : ""), decides ? "strong" : "");
      height += BAR;
    }
    return { height: height + 2, inside, name: `An SM of ${name} with ${count(blocks, "blocks")} in ${blocks * warps} of ${limits.warps_per_sm} places for warps` };
  }

  say() {
    const { limits, name, sms, published, capability } = this.gpu;
    const { threads } = this.values;
    const { blocks, warps, limitedBy } = this.found;
    const idle = warps * 32 - threads;
    const why = list(limitedBy.map(named));
    const share = number((100 * blocks * warps) / limits.warps_per_sm);
    return [
      `${count(threads, "threads")} make ${count(warps, "warps")}${idle ? ` with ${count(idle, "lanes")} idle` : ""}. ` +
        (blocks
          ? `An SM holds ${count(blocks, "blocks")}: ${blocks * warps} of ${limits.warps_per_sm} warps, an occupancy of ${share}%. First to run out: ${why}.`
          : `No block fits, and a launch is refused. Too much is asked of: ${why}.`),
      `Limits of ${sms ? `the ${name}, compute capability ${capability}` : `compute capability ${name}`}, ${published ? "as published" : "as its driver reports them"}.`,
    ];
  }

  evidence() {
    const { answers, name } = this.gpu;
    if (!answers) return null;
    const { threads, registers, shared_kib: shared } = this.values;
    const asked = answers.every ? up(threads, 32) : threads;
    const held = registers === answers.registers && !shared && answers.blocks[asked];
    if (held) return { mark: answers.stale ? "stale" : "fresh", word: "recorded", words: `The driver of the ${name} answers ${count(held, "blocks")}.` };
    const sizes = answers.every ? "every number of" : list(Object.keys(answers.blocks));
    return { mark: "missing", word: "not recorded", words: `The driver of the ${name} was asked about ${answers.registers} registers and ${sizes} threads.` };
  }
}
