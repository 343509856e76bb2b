// Twelve seats for consumers: free, starting, idle, busy, hanging on poison, or finishing their last message.

import { word } from "../words.js";
import { middle } from "./geometry.js";
import { PLAIN, POISON, message, ring, roundBox, text } from "./shapes.js";

const STARTING = 0;
const IDLE = 1;
const STOPPING = 3;

export function drawSeats(c, g, now, next, between) {
  const later = new Map(next.workers.map((worker) => [worker[0], worker]));
  const taken = new Map(now.workers.map((worker) => [worker[0], worker]));
  g.seats.forEach((box, seat) => {
    const worker = taken.get(seat);
    if (!worker) return roundBox(c, box, 0.5 * g.em, { stroke: "--line", dash: [3, 4] });
    return drawWorker(c, g, box, worker, progress(worker, later.get(seat), between));
  });
}

// Between two frames of the same job its progress is between theirs.
function progress(worker, later, between) {
  if (!later || later[1] !== worker[1] || later[3] < worker[3]) return worker[3];
  return worker[3] + (later[3] - worker[3]) * between;
}

function drawWorker(c, g, box, [, state, kind], share) {
  const { x, y } = middle(box);
  const radius = Math.min(box.width, box.height) * 0.3;
  const width = Math.max(2, radius * 0.22);
  if (state === STARTING) {
    roundBox(c, box, 0.5 * g.em, { stroke: "--busy", dash: [4, 3] });
    ring(c, x, y, radius, share, "--busy", width);
    if (box.height > 4.4 * g.em) text(c, word("starting"), x, box.y + box.height - 0.35 * g.em, { size: 0.8 * g.em, align: "center" });
    return;
  }
  const hangs = kind === POISON;
  c.globalAlpha = state === STOPPING ? 0.55 : 1;
  roundBox(c, box, 0.5 * g.em, {
    fill: hangs ? "--bad-wash" : state === IDLE ? "--surface" : "--accent-wash",
    stroke: hangs ? "--bad" : state === IDLE ? "--line-strong" : "--accent",
    width: hangs ? 2 : 1.25,
    dash: state === STOPPING ? [4, 3] : [],
  });
  c.globalAlpha = 1;
  if (kind < 0) return;
  ring(c, x, y, radius, 1, "--line", width);
  ring(c, x, y, radius, share, hangs ? "--bad" : "--accent", width);
  message(c, x, y, Math.min(g.cell * 0.4, radius * 0.5), kind ?? PLAIN);
}
