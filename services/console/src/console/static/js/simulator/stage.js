// The picture: producers, door, queue, consumers, back-off and dead letters, as one frame says they are.

import { paint } from "../chart_theme.js";
import { language, number, word } from "../words.js";
import { Flights } from "./flights.js";
import { CAPACITY, geometry, heightFor, middle } from "./geometry.js";
import { drawSeats } from "./seats.js";
import { PLAIN, POISON, RETRY, kindColour, line, message, roundBox, text } from "./shapes.js";

const percent = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0 });

const LEAST_PX = 200;

export class Stage {
  constructor(canvas) {
    this.canvas = canvas;
    this.c = canvas.getContext("2d");
    this.flights = new Flights();
    this.settings = { highWater: 0.7, backPressure: true };
    this.observer = new ResizeObserver(() => this.#resize());
    this.observer.observe(canvas.parentElement);
    this.#resize();
  }

  #resize() {
    const style = getComputedStyle(this.canvas);
    const em = parseFloat(style.fontSize);
    const width = this.canvas.clientWidth;
    if (width < LEAST_PX) return; // hidden, or on its way to another size
    const height = heightFor(width, em);
    const density = Math.min(2, devicePixelRatio || 1);
    this.canvas.width = Math.round(width * density);
    this.canvas.height = Math.round(height * density);
    this.canvas.style.height = `${height}px`;
    this.c.setTransform(density, 0, 0, density, 0, 0);
    this.c.family = style.fontFamily;
    this.g = geometry(width, height, em);
    this.flights.clear();
  }

  /** Draws a moment; `still` without anything on its way. */
  draw({ now, next, between }, head, speed, { still = false } = {}) {
    const { c, g } = this;
    if (!g) return;
    c.clearRect(0, 0, g.width, g.height);
    this.#producers(now);
    this.#queue(now);
    this.#door(now);
    this.#backOff(now);
    this.#dead(now);
    this.#done(now);
    this.#name(g.names.seats, word("consumers"), word("running_of", { running: now.running, wanted: now.wanted }));
    drawSeats(c, g, now, next, between);
    if (still) {
      this.flights.clear();
      return;
    }
    const time = performance.now();
    this.flights.start(head, speed, now, g, time);
    this.flights.draw(c, g, time);
  }

  #name(place, name, more) {
    const { c, g } = this;
    text(c, name, place.x, place.y, { colour: "--ink", size: g.em, weight: 600 });
    const width = c.measureText(name).width;
    text(c, more, place.x + width + 0.7 * g.em, place.y, { size: 0.92 * g.em });
  }

  #producers(now) {
    const { c, g } = this;
    const rate = now.offered_per_s / g.producers.length;
    const passes = now.throttle ? rate * (1 - now.throttle) : rate;
    g.producers.forEach((box, i) => {
      roundBox(c, box, 0.5 * g.em, { fill: "--sunken", stroke: now.throttle ? "--warn" : "--line-strong" });
      const x = box.x + box.width / 2;
      const y = box.y + box.height / 2;
      text(c, `P${i + 1}`, x, y - 0.15 * g.em, { colour: "--ink", size: g.em, weight: 600, align: "center" });
      text(c, word("per_s", { value: number(passes) }), x, y + 1.05 * g.em, { colour: now.throttle ? "--warn" : "--soft", size: 0.92 * g.em, align: "center" });
    });
  }

  #queue(now) {
    const { c, g } = this;
    const pad = 0.3 * g.em;
    const { queue } = g;
    const depth = Math.min(CAPACITY, now.depth);
    roundBox(c, { x: queue.x - pad, y: queue.y - pad, width: queue.width + 2 * pad, height: queue.height + 2 * pad }, 0.5 * g.em, { fill: "--sunken" });
    this.#places(depth);
    const marked = new Map(now.marked);
    c.beginPath();
    for (let i = 0; i < depth; i += 1) {
      if (marked.has(i)) continue;
      const { x, y } = g.at(i);
      c.moveTo(x + g.cell * 0.36, y);
      c.arc(x, y, g.cell * 0.36, 0, 2 * Math.PI);
    }
    c.fillStyle = kindColour(PLAIN);
    c.fill();
    for (const [place, kind] of marked) {
      if (place >= CAPACITY) continue;
      const { x, y } = g.at(place);
      message(c, x, y, g.cell * 0.36, kind);
    }
    if (this.settings.backPressure) this.#highWater();
    this.#name(g.names.queue, word("queue"), word("of_capacity", { depth: number(now.depth), capacity: CAPACITY }));
  }

  // The free places, faintly: they are what is left.
  #places(depth) {
    const { c, g } = this;
    c.beginPath();
    for (let i = depth; i < CAPACITY; i += 1) {
      const { x, y } = g.at(i);
      c.rect(x - 0.75, y - 0.75, 1.5, 1.5);
    }
    c.fillStyle = paint("--line-strong");
    c.globalAlpha = 0.55;
    c.fill();
    c.globalAlpha = 1;
  }

  #highWater() {
    const { c, g } = this;
    const { x1, y1, x2, y2 } = g.mark(this.settings.highWater);
    line(c, x1, y1, x2, y2, "--warn", { width: 1.5, dash: [5, 4] });
    const share = percent.format(this.settings.highWater);
    if (g.lying) text(c, share, x1, y2 + 1.5 * g.em, { colour: "--warn", size: 0.92 * g.em, weight: 550, align: "center" });
    else text(c, share, x2 + 0.1 * g.em, y1 + 0.3 * g.em, { colour: "--warn", size: 0.85 * g.em, weight: 550 });
  }

  // A gate that closes as far as back-pressure slows; red when the queue is full and drops.
  #door(now) {
    const { c, g } = this;
    const { x, y, length } = g.door;
    const full = !this.settings.backPressure && now.depth >= CAPACITY - 1;
    const shut = full ? 1 : now.throttle;
    const colour = full ? "--bad" : shut ? "--warn" : "--line-strong";
    const half = (length / 2) * shut;
    const bar = { width: Math.max(2, 0.3 * g.em) };
    if (g.lying) {
      line(c, x, y, x, y + Math.max(half, 0.01 * length), colour, bar);
      line(c, x, y + length, x, y + length - Math.max(half, 0.01 * length), colour, bar);
    } else {
      line(c, x, y, x + Math.max(half, 0.01 * length), y, colour, bar);
      line(c, x + length, y, x + length - Math.max(half, 0.01 * length), y, colour, bar);
    }
    if (!shut) return;
    const said = full ? word("full") : word("room", { share: percent.format(1 - shut) });
    const place = g.lying ? { x: g.queue.x, y: y + length + 1.5 * g.em, align: "left" } : { x: g.queue.x + g.queue.width, y: g.names.queue.y, align: "right" };
    text(c, said, place.x, place.y, { colour, size: 0.92 * g.em, weight: 550, align: place.align });
  }

  #backOff(now) {
    const { c, g } = this;
    const box = g.backOff;
    roundBox(c, box, 0.5 * g.em, { stroke: "--line-strong", dash: [3, 3] });
    const y = box.y + box.height - 1.05 * g.em;
    const step = g.cell * 0.95;
    const fits = Math.max(1, Math.floor((box.width - g.em) / step));
    for (let i = 0; i < Math.min(now.back_off, fits); i += 1) {
      message(c, box.x + 0.4 * g.em + g.cell * 0.55 + i * step, y, g.cell * 0.36, i < now.poison_back_off ? POISON : RETRY);
    }
    text(c, word("back_off"), box.x + 0.5 * g.em, box.y + 1.15 * g.em, { size: 0.92 * g.em });
    text(c, number(now.back_off), box.x + box.width - 0.5 * g.em, box.y + 1.15 * g.em, { colour: "--ink", size: 0.92 * g.em, weight: 600, align: "right" });
    if (!g.lying) return;
    // the way back to the end of the queue
    const end = g.queue.x - 0.7 * g.em;
    line(c, box.x, middle(box).y, end, middle(box).y, "--line-strong", { dash: [3, 3] });
    const tip = g.queue.y + g.queue.height + 0.5 * g.em;
    line(c, end, middle(box).y, end, tip, "--line-strong", { dash: [3, 3] });
    line(c, end - 0.35 * g.em, tip + 0.5 * g.em, end, tip, "--line-strong", { width: 1.5 });
    line(c, end + 0.35 * g.em, tip + 0.5 * g.em, end, tip, "--line-strong", { width: 1.5 });
  }

  #dead(now) {
    const { c, g } = this;
    const box = g.dead;
    roundBox(c, box, 0.5 * g.em, { fill: now.dead ? "--bad-wash" : undefined, stroke: now.dead ? "--bad" : "--line-strong" });
    const y = box.y + box.height - 1.1 * g.em;
    const step = g.cell * 0.8;
    const fits = Math.max(1, Math.floor((box.width - g.em) / step));
    for (let i = 0; i < Math.min(now.dead, fits); i += 1) message(c, box.x + 0.4 * g.em + g.cell * 0.55 + i * step, y, g.cell * 0.34, POISON);
    text(c, word("dead_letters"), box.x + 0.5 * g.em, box.y + 1.2 * g.em, { colour: "--ink", size: 0.92 * g.em });
    text(c, number(now.dead), box.x + box.width - 0.5 * g.em, box.y + 1.2 * g.em, { colour: "--ink", size: 0.92 * g.em, weight: 600, align: "right" });
  }

  #done(now) {
    const { c, g } = this;
    const { x, y, align } = g.outText;
    const rate = word("per_s", { value: number(now.out_per_s) });
    text(c, rate, x, y, { size: 0.92 * g.em, align });
    text(c, word("done"), x - c.measureText(rate).width - 0.5 * g.em, y, { colour: "--good", size: g.em, weight: 600, align });
  }
}
