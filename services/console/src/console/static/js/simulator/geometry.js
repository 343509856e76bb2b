// Where everything is on the stage, lying or standing. All in CSS pixels; `em` is the size of the text.

export const CAPACITY = 300;
const SEATS = 12;
const PRODUCERS = 4;

export const geometry = (width, height, em) => (width >= 34 * em ? lying(width, height, em) : standing(width, height, em));

/** The height that a stage of this width wants. */
export const heightFor = (width, em) => (width >= 34 * em ? Math.round(Math.min(width * 0.51, 46 * em)) : Math.round(42.5 * em));

// Messages go from left to right: producers, queue, consumers; retries come back below.
function lying(width, height, em) {
  const top = 2.6 * em;
  const lane = height - 3.4 * em; // the way back of retries
  const room = lane - 2.4 * em - top;
  const producerWidth = 5.2 * em;
  const left = producerWidth + 4.2 * em;
  const cell = Math.max(0, Math.min(room / 15, (width * 0.62 - left) / 20)); // a picture without a place yet has no width
  const queue = { x: left, y: top + (room - cell * 15) / 2, width: cell * 20, height: cell * 15 };
  const seatsLeft = queue.x + queue.width + 2.6 * em;
  const outWidth = 4.6 * em;
  const seat = Math.min((width - seatsLeft - outWidth) / 3, (queue.height + 0.4 * em) / 4);
  const seatsTop = queue.y + (queue.height - seat * 4) / 2;
  return {
    lying: true, width, height, em, cell, queue,
    producers: rows(PRODUCERS, 0.4 * em, queue.y, producerWidth, queue.height),
    door: { x: queue.x - 1.4 * em, y: queue.y, length: queue.height },
    seats: [...Array(SEATS).keys()].map((i) => box(seatsLeft + (i % 3) * seat, seatsTop + Math.floor(i / 3) * seat, seat, seat, 0.09)),
    out: { x: width - 0.6 * em, y: queue.y + queue.height / 2 },
    outText: { x: width - 0.6 * em, y: queue.y + queue.height + 1.5 * em, align: "right" },
    dead: box(width - 11.4 * em, lane - 0.5 * em, 10.8 * em, 3.5 * em, 0),
    backOff: box(queue.x + queue.width * 0.36, lane - 1.1 * em, queue.width * 0.6, 3.2 * em, 0),
    floor: height - 0.5 * em,
    tail: { x: queue.x - 0.7 * em, y: lane + 0.5 * em },
    names: { queue: { x: queue.x, y: queue.y - 0.9 * em }, seats: { x: seatsLeft, y: queue.y - 0.9 * em } },
    at: (index) => {
      const column = Math.floor(index / 15);
      const row = column % 2 ? 14 - (index % 15) : index % 15;
      return { x: queue.x + queue.width - (column + 0.5) * cell, y: queue.y + (row + 0.5) * cell };
    },
    mark: (share) => ({ x1: queue.x + queue.width * (1 - share), y1: queue.y - 0.5 * em, x2: queue.x + queue.width * (1 - share), y2: queue.y + queue.height }),
  };
}

// Messages go from top to bottom; retries come back at the right edge.
function standing(width, height, em) {
  const pad = 0.4 * em;
  const producerHeight = 3 * em;
  const cell = Math.max(0, Math.min((width - 3.2 * em) / 25, (12.4 * em) / 12));
  const queue = { x: pad, y: producerHeight + 4.6 * em, width: cell * 25, height: cell * 12 };
  const seatsTop = queue.y + queue.height + 3 * em;
  const seat = Math.min((width - 2 * pad) / 6, 4.8 * em);
  const below = seatsTop + seat * 2 + 2.6 * em;
  return {
    lying: false, width, height, em, cell, queue,
    producers: [...Array(PRODUCERS).keys()].map((i) => box(pad + (i * (width - 2 * pad)) / 4, 0.3 * em, (width - 2 * pad) / 4, producerHeight, 0.06)),
    door: { x: queue.x, y: queue.y - 2.4 * em, length: queue.width },
    seats: [...Array(SEATS).keys()].map((i) => box(pad + (i % 6) * seat, seatsTop + Math.floor(i / 6) * seat, seat, seat, 0.08)),
    out: { x: width / 2, y: below + 0.4 * em },
    outText: { x: width - pad, y: seatsTop - 0.7 * em, align: "right" },
    dead: box(pad, below + 2.4 * em, width * 0.46, 4 * em, 0),
    backOff: box(width * 0.53, below + 2.4 * em, width * 0.45, 4 * em, 0),
    floor: queue.y - 0.4 * em,
    tail: { x: width - 0.9 * em, y: queue.y + queue.height },
    names: { queue: { x: queue.x, y: queue.y - 0.9 * em }, seats: { x: pad, y: seatsTop - 0.7 * em } },
    at: (index) => {
      const row = Math.floor(index / 25);
      const column = row % 2 ? 24 - (index % 25) : index % 25;
      return { x: queue.x + (column + 0.5) * cell, y: queue.y + queue.height - (row + 0.5) * cell };
    },
    mark: (share) => ({ x1: queue.x, y1: queue.y + queue.height * (1 - share), x2: queue.x + queue.width + 0.4 * em, y2: queue.y + queue.height * (1 - share) }),
  };
}

function box(x, y, width, height, gap) {
  return { x: x + width * gap, y: y + height * gap, width: width * (1 - 2 * gap), height: height * (1 - 2 * gap) };
}

function rows(count, x, y, width, height) {
  const each = height / count;
  return [...Array(count).keys()].map((i) => ({ x, y: y + i * each + each * 0.14, width, height: each * 0.72 }));
}

export const middle = (rect) => ({ x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 });
