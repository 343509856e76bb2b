// Charts of what is predicted beside what is real: the last minutes, and from the question on both at once.

import { createChart } from "../chart.js";
import { word } from "../words.js";

const PAST_S = 300;
/** Columns of the feed's history that are shown, by chart. */
const CHARTS = {
  waiting: { series: "ready", title: "waiting_title", unit: "", whole: true, most: "readyHigh", predicted: "ready" },
  lag: { series: "lag", title: "lag_title", unit: "seconds", most: "lagHigh", predicted: "lag" },
  workers: { series: "working", title: "workers_title", unit: "", whole: true, stepped: true, predicted: "workers" },
};

export class Course {
  constructor(channel, mark) {
    this.channel = channel;
    this.mark = mark;
    this.past = { at: [], ready: [], lag: [], working: [] };
    this.plan = null;
    this.charts = Object.fromEntries(Object.entries(CHARTS).map(([name, each]) => [name, this.#chart(name, each)]));
  }

  takeHistory({ at, channels, whole }) {
    if (whole) for (const column of Object.values(this.past)) column.length = 0;
    const mine = channels[this.channel] ?? {};
    at.forEach((moment, i) => this.#append(moment, (name) => mine[name]?.[i]));
    this.draw();
  }

  takeLook(look) {
    const mine = look.broker.answers ? look.channels.find((each) => each.name === this.channel) : null;
    this.#append(look.at, (name) => mine?.[name]);
    this.draw();
  }

  /** Shows a forecast from the moment it was asked for (seconds since 1970). */
  predict({ forecast }, limit, askedAt) {
    this.plan = { ...forecast, askedAt, limit };
    this.draw();
  }

  draw() {
    const begin = (this.plan?.askedAt ?? this.past.at.at(-1) ?? 0) - PAST_S;
    const first = this.past.at.findIndex((moment) => moment >= begin);
    const real = first < 0 ? [] : this.past.at.slice(first);
    const times = this.#times(real);
    for (const [name, each] of Object.entries(CHARTS)) {
      const values = first < 0 ? [] : this.past[each.series].slice(first);
      const columns = [held(times, real, values), this.#predicted(times, each.predicted, each.stepped)];
      if (each.most) columns.push(this.#predicted(times, each.most));
      if (name === "lag") columns.push(times.map((at) => (this.plan?.limit && at >= this.plan.askedAt ? this.plan.limit : null)));
      this.charts[name].setMarks(this.plan ? [{ at: this.plan.askedAt, label: word("asked_mark") }] : []);
      this.charts[name].setData(times, columns);
    }
  }

  #chart(name, { title, unit, whole, stepped, most }) {
    const series = [{ label: word("real"), mark: this.mark }, { label: word("predicted"), color: "--accent", shape: 4, dash: [6, 4] }];
    if (most) series.push({ label: word("predicted_most"), color: "--faint", shape: 6, dash: [2, 4], width: 1 });
    if (name === "lag") series.push({ label: word("aim"), color: "--bad", shape: 5, dash: [1, 5], width: 1 });
    return createChart(document.getElementById(`chart-${name}`), {
      title: word(title), unit: unit && word(unit), whole, stepped, series, x: "time", sync: "planner", height: 150,
      words: { summary: word("chart_summary"), empty: word("chart_empty") },
    });
  }

  #append(moment, value) {
    if (moment <= (this.past.at.at(-1) ?? -Infinity)) return;
    this.past.at.push(moment);
    for (const name of ["ready", "lag", "working"]) this.past[name].push(value(name) ?? null);
    while (this.past.at[0] < moment - 3600) for (const column of Object.values(this.past)) column.shift();
  }

  // All moments of both, in order.
  #times(real) {
    const ahead = this.plan ? this.plan.points.at.map((seconds) => this.plan.askedAt + seconds) : [];
    return [...new Set([...real, ...ahead])].sort((a, b) => a - b);
  }

  #predicted(times, name, stepped) {
    if (!this.plan) return times.map(() => null);
    const { points, askedAt } = this.plan;
    const values = points[name] ?? this.plan[name];
    let i = 0;
    return times.map((moment) => {
      const at = moment - askedAt;
      if (at < 0 || at > points.at.at(-1)) return null;
      while (i < points.at.length - 2 && points.at[i + 1] <= at) i += 1;
      const [from, to] = [points.at[i], points.at[i + 1] ?? points.at[i]];
      const share = to > from ? Math.min(1, (at - from) / (to - from)) : 0;
      if (stepped) return share < 1 ? values[i] : values[i + 1];
      return values[i] + ((values[i + 1] ?? values[i]) - values[i]) * share;
    });
  }
}

// The real values at all moments: the last one that was seen; none after the newest, and none where nobody looked.
function held(times, real, values) {
  let i = -1;
  return times.map((moment) => {
    while (i + 1 < real.length && real[i + 1] <= moment) i += 1;
    return i < 0 || moment > real.at(-1) || moment - real[i] > 10 ? null : values[i];
  });
}
