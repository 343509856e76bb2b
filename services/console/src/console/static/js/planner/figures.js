// What an answer stands on: figures, each with where it comes from.

import { count, percent, rate, time } from "./quantities.js";
import { word } from "../words.js";

const ENOUGH = 30;

/** Shows the figures of a channel; `basis` is the last answer's, whose figures count where they differ. */
export function showFigures(figures, basis, list, remarks) {
  const used = basis ?? figures;
  list.replaceChildren(
    row(word("fig_arrival"), rate(used.arrival.value), source(used.arrival)),
    row(word("fig_usual"), rate(figures.usualArrival.value), source(figures.usualArrival)),
    row(word("fig_job"), time(used.job.value), source(used.job), word("fig_slow", { time: time(figures.slowJob) })),
    row(word("fig_failing"), percent(used.failing.value), source(used.failing)),
    row(word("fig_start"), time(used.start.value), source(used.start)),
    row(word("fig_overhead"), time(used.overhead.value), source(used.overhead)),
    row(word("fig_backlog"), count(figures.ready + figures.unacked), null),
    row(word("fig_workers"), count(figures.workers), null, word("fig_places", { count: count(figures.concurrency) })),
    row(word("fig_scaling"), "", null, word("fig_poll", { poll: time(figures.rule.poll), cooldown: time(figures.rule.cooldown) })),
  );
  const said = used.remarks.map((key) => element("p", "field-note", word(key)));
  remarks.replaceChildren(...said);
}

function source(figure) {
  const unsure = figure.source === "assumed" || (figure.source === "measured" && figure.samples < ENOUGH);
  return { text: provenance(figure), unsure };
}

function provenance({ source: from, samples, over }) {
  if (from !== "measured") return word(`src_${from}`);
  const said = { count: count(samples), time: time(over) };
  const text = word(over ? "src_measured" : "src_measured_times", said);
  return samples < ENOUGH ? `${text} · ${word("few")}` : text;
}

function row(name, value, from, more = "") {
  const box = element("div", "figure-row");
  box.append(element("dt", "", name), element("dd", "", value));
  const text = [from?.text, more].filter(Boolean).join(" · ");
  if (text) box.append(element("dd", `figure-source${from?.unsure ? " is-unsure" : ""}`, text));
  return box;
}

function element(tag, name, text) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (text !== undefined) made.textContent = text;
  return made;
}
