// Four charts of the last two simulated minutes.

import { createChart } from "../chart.js";
import { word } from "../words.js";
import { CAPACITY } from "./geometry.js";

const SPAN_S = 120;
const POINT_S = 0.25; // simulated seconds between two points, at least
const EVERY_MS = 250; // real time between two drawings, at least

const CHARTS = {
  depth: { unit: "unit_messages", whole: true, floor: 20, lines: [
    ["line_depth", "depth", { color: "--accent", shape: 1, fill: "--accent-wash" }],
    ["line_high_water", "high_water", { color: "--warn", shape: 3, dash: [6, 4], width: 1.25 }],
    ["line_capacity", "capacity", { color: "--bad", shape: 2, dash: [2, 3], width: 1.25 }]] },
  lag: { unit: "unit_seconds", floor: 1, lines: [["line_lag", "lag_s", { color: "--channel-2", shape: 3, fill: "--warn-wash" }]] },
  rates: { unit: "unit_per_s", floor: 10, lines: [
    ["line_offered", "offered_per_s", { color: "--soft", shape: 6, dash: [4, 3], width: 1.25 }],
    ["line_in", "in_per_s", { color: "--channel-1", shape: 1 }],
    ["line_out", "out_per_s", { color: "--good", shape: 4 }],
    ["line_dropped", "lost_per_s", { color: "--bad", shape: 2 }]] },
  consumers: { unit: "unit_consumers", whole: true, floor: 4, stepped: true, lines: [
    ["line_wanted", "wanted", { color: "--soft", shape: 6, dash: [4, 3], width: 1.25 }],
    ["line_running", "running", { color: "--channel-1", shape: 1 }],
    ["line_poison", "busy_on_poison", { color: "--bad", shape: 4 }]] },
};

export class Charts {
  constructor() {
    this.drawnAt = 0;
    this.marks = [];
    this.charts = Object.entries(CHARTS).map(([name, { unit, lines, ...options }]) => ({
      fields: lines.map(([, field]) => field),
      chart: createChart(document.querySelector(`#chart-${name}`), {
        title: word(`chart_${name}`), unit: word(unit), x: "seconds", span: SPAN_S, start: 0, sync: "simulator", height: 150,
        series: lines.map(([label, , look]) => ({ label: word(label), ...look })),
        words: { summary: word("summary"), empty: word("nothing_yet") },
        ...options,
      }),
    }));
    this.clear();
  }

  clear() {
    this.marks = [];
    this.times = [];
    this.columns = this.charts.map(({ fields }) => fields.map(() => []));
    this.drawnAt = 0;
  }

  mark(at, label) {
    this.marks.push({ at, label });
  }

  add(frame, { highWater, backPressure }) {
    if (this.times.length && frame.time_s - this.times.at(-1) < POINT_S) return;
    const all = { ...frame, capacity: CAPACITY, high_water: backPressure ? CAPACITY * highWater : null, lost_per_s: frame.dropped_per_s + frame.refused_per_s };
    this.times.push(frame.time_s);
    this.charts.forEach(({ fields }, i) => fields.forEach((field, j) => this.columns[i][j].push(all[field])));
    this.#forget(frame.time_s - SPAN_S);
  }

  draw(now = performance.now()) {
    if (now - this.drawnAt < EVERY_MS || !this.times.length) return;
    this.drawnAt = now;
    this.charts.forEach(({ chart }, i) => {
      chart.setMarks(this.marks);
      chart.setData(this.times, i === 0 ? this.#withLimits(this.columns[i]) : this.columns[i]);
    });
  }

  // Limits are drawn when depth came near them: the axis would reach to 300, and three messages were a flat line.
  #withLimits([depth, highWater, capacity]) {
    const deepest = Math.max(...depth);
    const none = depth.map(() => null);
    return [depth, deepest > 90 ? highWater : none, deepest > 180 ? capacity : none];
  }

  #forget(before) {
    const old = this.times.findIndex((time) => time >= before);
    if (old <= 0) return;
    this.times.splice(0, old);
    for (const columns of this.columns) for (const column of columns) column.splice(0, old);
    this.marks = this.marks.filter((mark) => mark.at >= before);
  }
}

