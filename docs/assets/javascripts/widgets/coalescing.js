/** The sectors that a load of one warp touches. */
import { Figure } from "./figure.js";
import { count, number, rect, text } from "./pieces.js";

const SECTOR = 32;
const GUTTER = 48;
const ROW = 52;
const MOST_ROWS = 8;

/**
 * Lane `l` loads element `offset + stride * l` of `size` bytes; element 0 begins a sector. Gives the sectors with
 * their lanes, and the byte where each lane's element begins. As gpu100.render.widgets.models; no DOM in here.
 */
export function request(size, stride, offset) {
  const starts = Array.from({ length: 32 }, (_, lane) => (offset + stride * lane) * size);
  const sectors = [];
  starts.forEach((start, lane) => {
    const at = Math.floor(start / SECTOR);
    if (sectors.at(-1)?.at !== at) sectors.push({ at, lanes: [] });
    sectors.at(-1).lanes.push(lane);
  });
  return { sectors, starts, fetched: sectors.length * SECTOR, used: new Set(starts).size * size };
}

export default class Coalescing extends Figure {
  get asked() {
    const { size, stride, offset } = this.values;
    return [Number(size), stride, offset];
  }

  picture(width) {
    const [size, stride] = this.asked;
    const { sectors, starts } = request(...this.asked);
    const perRow = width < 520 ? 2 : 4;
    const wide = (width - GUTTER) / perRow;
    const unit = (wide - 12) / SECTOR;
    const rows = [...new Set(sectors.map(({ at }) => Math.floor(at / perRow)))].slice(0, MOST_ROWS);
    let drawn = 0;
    let inside = text(0, 11, "byte", "soft");
    rows.forEach((row, place) => {
      const y = 6 + place * ROW;
      inside += text(0, y + 33, number(row * perRow * SECTOR), "soft exact");
      for (let column = 0; column < perRow; column++) {
        const x = GUTTER + column * wide;
        const found = sectors.find(({ at }) => at === row * perRow + column);
        if (found) {
          const { lanes } = found;
          inside += text(x + 1, y + 10, lanes[1] ? `lanes ${lanes[0]}–${lanes.at(-1)}` : `lane ${lanes[0]}`, "small");
          for (const lane of stride ? lanes : [0]) {
            const left = x + 4 + (starts[lane] % SECTOR) * unit;
            inside += rect(left + 0.5, y + 19, size * unit - 1, 20, "thread");
            if (size * unit > 19 && stride) inside += text(left + (size * unit) / 2, y + 33, lane, "on-light middle small");
          }
          drawn++;
        }
        inside += rect(x + 1, y + 16, wide - 6, 26, found ? "sector" : "empty");
      }
    });
    let height = 6 + rows.length * ROW;
    if (drawn < sectors.length) {
      height += 18;
      inside += text(GUTTER, height - 10, `and ${count(sectors.length - drawn, "sectors")} more, as far apart`, "soft");
    }
    return { height, inside, name: `${count(sectors.length, "sectors")} of 32 bytes, with the bytes that the lanes asked for` };
  }

  say() {
    const { sectors, fetched, used } = request(...this.asked);
    const share = number((100 * used) / fetched);
    return [`${count(sectors.length, "sectors")} for one request: ${number(fetched)} bytes come, ${number(used)} of them were asked for, ${share}%.`];
  }

  evidence() {
    if (!this.gpu) return null;
    const { requests, name } = this.gpu;
    const found = requests.find((counted) => counted.slice(0, 3).join() === this.asked.join());
    return found
      ? { mark: "fresh", word: "counted", words: `${count(found[3], "sectors")} a request, by the counters of the ${name}.` }
      : { mark: "missing", word: "not counted", words: `The counters of the ${name} were read for other steps: see the table.` };
  }
}
