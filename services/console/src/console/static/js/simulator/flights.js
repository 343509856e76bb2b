// Messages on their way from one place to the next. Their times are real: a way takes as long as an eye needs.

import { middle } from "./geometry.js";
import { RETRY, message } from "./shapes.js";

const MOST = 400;
const IN_S = 0.34;

export class Flights {
  constructor() {
    this.all = [];
    this.waiting = [];
  }

  clear() {
    this.all = [];
    this.waiting = [];
  }

  /** Steps of messages ([second, what, number, seat, kind]) that come later than what is shown. */
  add(steps) {
    this.waiting.push(...steps);
  }

  /** Starts what is due at the simulated second `head`; ways into the queue start so much earlier that they end then. */
  start(head, speed, frame, g, now) {
    const early = head + IN_S * speed;
    const later = [];
    for (const step of this.waiting) {
      const leads = step[1] === "put" || step[1] === "dropped" || step[1] === "refused";
      if (step[0] > (leads ? early : head)) later.push(step);
      else if (this.all.length < MOST) this.#launch(step, frame, g, now);
    }
    this.waiting = later;
  }

  draw(c, g, now) {
    this.all = this.all.filter((flight) => now < flight.born + flight.lasts);
    for (const flight of this.all) {
      const share = (now - flight.born) / flight.lasts;
      const { x, y, fade } = flight.way(share);
      message(c, x, y, g.cell * 0.36, flight.kind, fade);
    }
  }

  #launch([, what, number, seat, kind], frame, g, now) {
    const way = ways[what]?.(g, frame, seat, number);
    if (way) this.all.push({ born: now, kind: what === "back" || what === "failed" ? kind || RETRY : kind, ...way });
  }
}

const ways = {
  put: (g, frame, seat) => (seat < 0 ? null : glide(IN_S, mouth(g, seat), tail(g, frame))),
  taken: (g, frame, seat) => g.seats[seat] && glide(0.16, g.at(0), middle(g.seats[seat])),
  done: (g, frame, seat, number) => g.seats[seat] && glide(0.4, middle(g.seats[seat]), spread(g.out, g, number), true),
  failed: (g, frame, seat) => g.seats[seat] && arc(0.4, middle(g.seats[seat]), middle(g.backOff), g),
  back: (g, frame) => around(0.5, middle(g.backOff), g.tail, tail(g, frame)),
  dead: (g, frame, seat) => g.seats[seat] && arc(0.5, middle(g.seats[seat]), middle(g.dead), g),
  dropped: (g, frame, seat, number) => fall(0.9, mouth(g, seat), g, number),
  refused: (g, frame, seat) => bounce(0.55, mouth(g, seat), g),
};

const ease = (t) => t * t * (3 - 2 * t);

function mouth(g, producer) {
  const box = g.producers[producer] ?? g.producers[0];
  return g.lying ? { x: box.x + box.width, y: box.y + box.height / 2 } : { x: box.x + box.width / 2, y: box.y + box.height };
}

const tail = (g, frame) => g.at(Math.min(299, Math.max(0, frame.depth)));

const spread = (place, g, number) =>
  g.lying ? { x: place.x, y: place.y + (((number * 37) % 17) - 8) * g.em * 0.5 } : { x: place.x + (((number * 37) % 17) - 8) * g.em * 1.1, y: place.y };

const between = (from, to, t) => ({ x: from.x + (to.x - from.x) * t, y: from.y + (to.y - from.y) * t });

function glide(seconds, from, to, fades = false) {
  return { lasts: seconds * 1000, way: (t) => ({ ...between(from, to, ease(t)), fade: fades ? 1 - t * t : 1 }) };
}

function arc(seconds, from, to, g) {
  const bend = { x: (from.x + to.x) / 2, y: Math.max(from.y, to.y) + (g.lying ? 1.4 * g.em : 0) };
  return { lasts: seconds * 1000, way: (t) => curve(from, bend, to, ease(t)) };
}

function around(seconds, from, corner, to) {
  return { lasts: seconds * 1000, way: (t) => curve(from, corner, to, ease(t)) };
}

function curve(from, bend, to, t) {
  const one = between(from, bend, t);
  const two = between(bend, to, t);
  return { ...between(one, two, t), fade: 1 };
}

// To the door, off it, and to the ground.
function fall(seconds, from, g, number) {
  const door = g.lying ? { x: g.door.x - 0.4 * g.em, y: from.y } : { x: from.x, y: g.door.y - 0.3 * g.em };
  const side = ((number * 29) % 13) - 6;
  return {
    lasts: seconds * 1000,
    way: (t) => {
      if (t < 0.3) return { ...between(from, door, t / 0.3), fade: 1 };
      const s = (t - 0.3) / 0.7;
      const ground = g.lying ? g.height - 0.6 * g.em : g.door.y + 1.6 * g.em;
      return { x: door.x - g.em * (0.8 + side * 0.12) * s, y: door.y + (ground - door.y) * s * s, fade: 1 - s * s * 0.8 };
    },
  };
}

// To the door and back to who sent it.
function bounce(seconds, from, g) {
  const door = g.lying ? { x: g.door.x - 0.4 * g.em, y: from.y } : { x: from.x, y: g.door.y - 0.3 * g.em };
  return { lasts: seconds * 1000, way: (t) => ({ ...between(from, door, t < 0.5 ? t * 2 : 2 - t * 2), fade: t < 0.5 ? 1 : 2 - 2 * t }) };
}
