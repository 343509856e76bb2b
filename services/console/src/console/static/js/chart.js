// A line chart for live numbers: uPlot with the page's look, a legend that tells values, and words for screen readers.
//
//   const chart = createChart(document.querySelector("#ready"), {   // a <figure>
//     title: "Ready", unit: "messages",
//     series: [{ label: "transcode", mark: 2 },                 // a channel: its mark gives colour and shape
//              { label: "limit", color: "--bad", shape: 4, dash: [4, 4], width: 1 }],   // anything else
//     span: 900,                // seconds of x shown, up to the last point; left out: all there is
//     shortest: 180,            // while there is less than a span: what there is, but at least so much (default: the span)
//     start: 0,                 // with span: no x before it is shown; the first quarter of the span is there from the start
//     x: "time",                // x is seconds since 1970, labelled as clock time; "seconds": labelled 0:30, 1:00 …
//     sync: "fleet",            // charts with the same name share their cursor
//     stepped: false,           // steps for things that are counted and change at once (workers)
//     whole: true,              // only whole numbers on the axis
//     floor: 5,                 // the y axis reaches at least so far
//     height: 150,              // pixels of the plot
//     words: { summary: "{name}: {value} now, at most {peak} at {when}", empty: "Nothing yet" },
//   });
//   chart.setData([t0, t1, …], [[…], [null, 3, …]]);     // one column per series; null leaves a gap
//   chart.setBands([{ from, to, label }]); chart.setMarks([{ at, label }]);   // with the next setData; to: null: goes on
//   chart.setSeries([...]); chart.show(1, false); chart.format = (value) => "…"; chart.destroy();
//
// Arrow keys move the cursor when a chart has the focus. Nothing is animated: a new point is one redraw, and where
// motion is to be reduced a redraw comes every five seconds. The page links vendor/uplot-1.6.32.min.css and css/chart.css.

import uPlot from "../vendor/uplot-1.6.32.mjs";
import { marksPlugin } from "./chart_marks.js";
import { lineColour, lineName, paint, WALL } from "./chart_theme.js";
import { onThemeChange } from "./theme.js";
import { language } from "./words.js";

const AXIS_PX = WALL ? 64 : 50; // the same for all, so that charts above each other share their time axis
const CALM_MS = 5000;
const calm = matchMedia("(prefers-reduced-motion: reduce)");

export function createChart(host, options) {
  return new Chart(host, options);
}

class Chart {
  constructor(host, options) {
    this.host = host;
    this.options = { x: "time", height: 150, words: {}, series: [], ...options };
    this.compact = new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 });
    const exact = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
    this.format = (value) => exact.format(value);
    this.clock = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
    this.exactClock = new Intl.DateTimeFormat(language, { timeStyle: "medium", hourCycle: "h23" });
    this.state = { bands: [], marks: [], series: this.options.series };
    this.data = [[], ...this.state.series.map(() => [])];
    this.drawnAt = this.saidAt = 0;
    this.#buildFrame();
    this.#buildPlot();
    onThemeChange(() => this.plot?.redraw());
    document.fonts?.ready.then(() => this.plot?.redraw()); // drawn text does not change its font by itself
    this.observer = new ResizeObserver(() => this.#resize());
    this.observer.observe(this.area);
  }

  setData(times, columns) {
    this.data = [times, ...columns];
    const now = performance.now();
    if (calm.matches && now - this.drawnAt < CALM_MS && this.drawnAt) return;
    this.drawnAt = now;
    this.#draw();
  }

  setBands(bands) {
    this.state.bands = bands;
  }

  setMarks(marks) {
    this.state.marks = marks;
  }

  setSeries(series) {
    this.state.series = series;
    this.data = [[], ...series.map(() => [])];
    this.plot.destroy();
    this.#buildPlot();
  }

  show(index, shown) {
    this.plot.setSeries(index + 1, { show: shown });
    this.entries[index].hidden = !shown;
  }

  destroy() {
    this.observer.disconnect();
    this.plot.destroy();
    this.plot = null;
    this.host.replaceChildren();
  }

  #buildFrame() {
    const { title, unit } = this.options;
    this.host.classList.add("chart");
    const caption = element("figcaption", "chart-caption");
    caption.append(element("span", "chart-title", title), element("span", "chart-unit", unit ?? ""));
    this.moment = element("span", "chart-moment");
    caption.append(this.moment);
    this.legend = element("ul", "chart-legend");
    this.area = element("div", "chart-area");
    this.area.tabIndex = 0;
    this.area.setAttribute("role", "img");
    this.area.setAttribute("aria-label", title);
    this.area.addEventListener("keydown", (event) => this.#walk(event));
    this.area.addEventListener("blur", () => this.plot.setCursor({ left: -10, top: -10 }, true, true));
    this.host.replaceChildren(caption, this.legend, this.area);
  }

  #buildPlot() {
    this.entries = this.state.series.map((line) => legendEntry(line));
    this.legend.replaceChildren(...this.entries);
    this.plot = new uPlot(this.#plotOptions(), this.data, this.area);
    this.#tell();
  }

  #plotOptions() {
    const axis = { stroke: () => paint("--soft"), font: this.#font(), ticks: { show: false } };
    const grid = { stroke: () => paint("--grid"), width: 1 };
    return {
      width: this.area.clientWidth || 300,
      height: this.options.height,
      padding: [8, 16, 0, 0],
      legend: { show: false },
      cursor: {
        y: false,
        drag: { x: false, y: false },
        sync: this.options.sync ? { key: this.options.sync } : undefined,
        points: { size: 7 },
      },
      scales: {
        x: { time: false, range: (_, min, max) => this.#window(min, max) },
        y: { range: (_, min, max) => [Math.min(0, min ?? 0), niceCeiling(Math.max(max ?? 0, this.options.floor ?? 1))] },
      },
      axes: [
        { ...axis, grid: { show: false }, size: WALL ? 30 : 24, space: WALL ? 96 : 64, incrs: STEPS, values: (_, at) => at.map((x) => this.#label(x, at[1] - at[0])) },
        { ...axis, grid, size: AXIS_PX, space: 32, incrs: this.options.whole ? WHOLE : undefined,
          values: (_, at) => at.map((y) => this.compact.format(y)) },
      ],
      series: [{}, ...this.state.series.map((line) => this.#line(line))],
      plugins: [marksPlugin(this.host, this.state, this.state.series)],
      hooks: { setCursor: [() => this.#tell()] },
    };
  }

  #line(line) {
    return {
      label: line.label,
      stroke: () => lineColour(line),
      fill: line.fill ? () => paint(line.fill) : undefined,
      width: line.width ?? 1.75,
      dash: line.dash,
      spanGaps: false,
      paths: this.options.stepped ? uPlot.paths.stepped({ align: 1 }) : undefined,
      points: { show: false },
    };
  }

  #font() {
    const { fontFamily } = getComputedStyle(this.host);
    return `${WALL ? 16 : 11}px ${fontFamily}`;
  }

  #window(min, max) {
    const { span, start } = this.options;
    const end = this.data[0].at(-1) ?? max ?? 1;
    if (start !== undefined && span) return [Math.max(start, end - span), Math.max(end, start + span / 4)];
    if (span) return [end - span, end];
    return min == null || min === max ? [end - 1, end] : [min, max];
  }

  #label(x, step) {
    if (this.options.x === "time") return (step < 60 ? this.exactClock : this.clock).format(x * 1000);
    const seconds = Math.round(x);
    return `${Math.floor(seconds / 60)}:${String(Math.abs(seconds) % 60).padStart(2, "0")}`;
  }

  #draw() {
    const x = this.#window(this.data[0][0], this.data[0].at(-1));
    this.plot.batch(() => {
      this.plot.setData(this.data, false);
      this.plot.setScale("x", { min: x[0], max: x[1] });
    });
    this.#tell();
  }

  // Values at the cursor, or the last ones; with the time they are from.
  #tell() {
    if (!this.plot) return;
    const index = this.plot.cursor.idx;
    const at = index ?? this.data[0].length - 1;
    this.entries.forEach((entry, i) => {
      const value = this.data[i + 1]?.[at];
      entry.told.textContent = value == null ? "–" : this.format(value);
    });
    const when = index == null ? "" : this.#exactly(this.data[0][index]);
    if (this.moment.textContent !== when) this.moment.textContent = when;
    this.#describe();
  }

  #exactly(x) {
    return this.options.x === "time" ? this.exactClock.format(x * 1000) : this.#label(x);
  }

  // Said in words for those who can't see the lines; not at every point, or a screen reader would never be done.
  #describe() {
    const now = performance.now();
    if (this.saidAt && now - this.saidAt < CALM_MS) return;
    this.saidAt = this.data[0].length ? now : 0;
    const { words, title } = this.options;
    const lines = this.state.series.map((line, i) => this.#sentence(line.label, this.data[i + 1])).filter(Boolean);
    const text = `${title}. ${lines.join(". ") || words.empty || ""}`;
    this.area.setAttribute("aria-label", text);
  }

  #sentence(name, values) {
    let peak = -1;
    let last = null;
    values?.forEach((value, i) => {
      if (value == null) return;
      last = value;
      if (peak < 0 || value > values[peak]) peak = i;
    });
    if (last === null) return "";
    const said = { name, value: this.format(last), peak: this.format(values[peak]), when: this.#exactly(this.data[0][peak]) };
    return (this.options.words.summary ?? "{name}: {value}").replace(/\{(\w+)\}/g, (_, key) => said[key] ?? "");
  }

  #walk(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -30, PageDown: 30 }[event.key];
    if (!step || !this.data[0].length) return;
    event.preventDefault();
    const last = this.data[0].length - 1;
    // Told to the charts that share the cursor, too.
    const index = Math.min(last, Math.max(0, (this.plot.cursor.idx ?? last) + step));
    this.plot.setCursor({ left: this.plot.valToPos(this.data[0][index], "x"), top: 5 }, true, true);
  }

  #resize() {
    const width = this.area.clientWidth;
    if (width && width !== this.plot.width) this.plot.setSize({ width, height: this.options.height });
  }
}

const STEPS = [1, 5, 10, 15, 30, 60, 120, 180, 300, 600, 900, 1800, 3600, 7200, 21600, 86400];
const WHOLE = [1, 2, 5].flatMap((n) => [...Array(10).keys()].map((power) => n * 10 ** power)).sort((a, b) => a - b);

// The next 1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8 × 10ⁿ: the axis rests while a line moves below it.
function niceCeiling(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((each) => each * power >= value * 1.04);
  return (step ?? 15) * power;
}

function legendEntry(line) {
  const entry = element("li", "chart-entry");
  entry.told = element("span", "chart-value", "–");
  entry.append(lineName(line), entry.told);
  return entry;
}

function element(name, className, text) {
  const made = document.createElement(name);
  made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}
