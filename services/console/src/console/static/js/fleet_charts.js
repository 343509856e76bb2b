// The six charts: one time axis, one cursor, and bands where channels were paused or the broker was gone.

import { createChart } from "./chart.js";
import { WALL } from "./chart_theme.js";
import { channel as channelName } from "./icons.js";
import { language, number, word } from "./words.js";

const SPAN_S = 900;
const SHORTEST_S = 180; // a console that has just started shows its few minutes large
const NEAR_S = 4; // between a pause that was asked for and one that is seen
const CHARTS = [
  { series: "ready", unit: "unit_messages", whole: true, floor: 10 },
  { series: "unacked", unit: "unit_messages", whole: true, floor: 5 },
  { series: "working", unit: "unit_workers", whole: true, floor: 4, stepped: true },
  { series: "publishedRate", unit: "unit_rate", floor: 1 },
  { series: "ackedRate", unit: "unit_rate", floor: 1 },
  { series: "deadLetters", unit: "unit_messages", whole: true, floor: 5 },
];

export class FleetCharts {
  constructor(series) {
    this.series = series;
    this.names = [];
    this.hidden = new Set();
    this.toggles = document.getElementById("chart-channels");
    this.charts = CHARTS.map(({ series: name, unit, ...options }) => this.#chart(name, unit, options));
  }

  /** Draws what the memory holds; `channels` are those of the newest look. */
  draw(channels, actions) {
    const names = channels.map((channel) => channel.name).join(" ");
    if (names !== this.names.join(" ")) this.#rename(channels);
    const bands = [...this.#pauses(actions), ...this.#gaps()];
    const marks = actions.filter((each) => each.outcome === "done").map(mark).filter(Boolean);
    for (const { name, chart } of this.charts) {
      chart.setBands(name === "ready" || name === "unacked" ? bands : bands.map((band) => ({ ...band, label: "" })));
      chart.setMarks(name === "ready" || name === "working" ? marks : marks.map(({ at }) => ({ at })));
      chart.setData(this.series.at, this.names.map((each) => this.series.column(each, name)));
    }
  }

  #chart(name, unit, options) {
    const chart = createChart(document.getElementById(`chart-${name}`), {
      title: word(`chart_${name}`),
      unit: word(unit),
      span: SPAN_S,
      shortest: SHORTEST_S,
      sync: "fleet",
      height: WALL ? 215 : 132,
      words: { summary: word("chart_summary"), empty: word("chart_empty") },
      ...options,
    });
    const format = new Intl.NumberFormat(language, { maximumFractionDigits: options.whole ? 0 : 1 });
    chart.format = (value) => format.format(value);
    return { name, chart };
  }

  #rename(channels) {
    this.names = channels.map((channel) => channel.name);
    for (const { chart } of this.charts) chart.setSeries(channels.map(({ name, mark: shape }) => ({ label: name, mark: shape })));
    this.toggles.replaceChildren(...channels.map((channel) => this.#toggle(channel)));
    this.#show();
  }

  #toggle({ name, mark: shape }) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button small chart-toggle";
    button.append(channelName(name, shape));
    button.addEventListener("click", () => {
      if (!this.hidden.delete(name)) this.hidden.add(name);
      this.#show();
    });
    return button;
  }

  #show() {
    this.names.forEach((name, i) => {
      this.toggles.children[i]?.setAttribute("aria-pressed", String(!this.hidden.has(name)));
      for (const { chart } of this.charts) chart.show(i, !this.hidden.has(name));
    });
  }

  // What is seen counts, whoever paused; where it was somebody of this console, the band says who.
  #pauses(actions) {
    const columns = this.names.map((name) => [name, this.series.column(name, "paused")]);
    const paused = (i) => columns.filter(([, column]) => column[i]).map(([name]) => name).join(", ");
    return this.series.spans(paused).map(({ from, to, value }) => {
      const all = value.split(", ").length === this.names.length;
      const by = actions.find((each) => each.action === "pause" && each.outcome === "done" && Math.abs(each.at - from) < NEAR_S);
      if (all) return { from, to, label: by ? word("band_paused_by", { who: by.who }) : word("band_paused") };
      return { from, to, label: word("band_paused_one", { channel: value }) };
    });
  }

  #gaps() {
    const columns = this.names.map((name) => this.series.column(name, "ready"));
    const gone = (i) => columns.length > 0 && columns.every((column) => column[i] === null);
    return this.series.spans(gone).map(({ from, to }) => ({ from, to, label: word("band_gone") }));
  }
}

// Pauses are bands already; what else an operator did is a mark.
function mark({ action, at, channel, detail }) {
  const count = number(Number(detail));
  if (action === "burst") return { at, label: word("mark_burst", { detail: count }) };
  if (action === "scale") return { at, label: word("mark_scale", { channel, detail: count }) };
  return null;
}
