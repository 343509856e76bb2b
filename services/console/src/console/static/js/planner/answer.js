// What will happen, in a sentence and large numbers.

import { count, ends, precise, rate, time } from "./quantities.js";
import { word } from "../words.js";

const at = (id) => document.getElementById(id);

/** Shows a plan's forecast. `limit`: seconds that the oldest message may wait. */
export function showAnswer({ basis, forecast }, limit) {
  at("headline").textContent = headline(basis, forecast);
  const tooOld = forecast.peakLag.high > limit;
  put("stat-drained", drained(basis, forecast), forecast.drained ? ends(forecast.drained, time) : "", forecast.growth > 0 && basis.backlog + basis.burst > 0 ? "is-bad" : "");
  put("stat-lag", time(forecast.peakLag.median), [ends(forecast.peakLag, time), word("lag_of_limit", { limit: time(limit) })].filter(Boolean).join(" · "), tooOld ? "is-bad" : "is-good");
  put("stat-depth", count(forecast.peakDepth.median), [ends(forecast.peakDepth, count), forecast.dead.high ? word("dead", { count: count(forecast.dead.median) }) : ""].filter(Boolean).join(" · "));
  put("stat-workers", count(forecast.mostWorkers.high), "");
  put("stat-cost", precise(forecast.workerHours.median), word("over_horizon", { horizon: time(forecast.horizon) }));
}

function drained({ backlog, burst }, { drained: gone, horizon }) {
  if (!backlog && !burst) return "–";
  return gone ? time(gone.median) : word("not_within", { horizon: time(horizon) });
}

function headline(basis, forecast) {
  const said = { arrival: rate(basis.arrival.value), capacity: rate(basis.capacity), horizon: time(forecast.horizon) };
  if (forecast.growth > 0) return word("grows", { ...said, growth: rate(forecast.growth) });
  if (!basis.backlog && !basis.burst) return word(basis.arrival.value ? "keeps_up" : "quiet", said);
  const what = word(basis.backlog && basis.burst ? "the_both" : basis.burst ? "the_burst" : "the_backlog", {
    count: count(basis.backlog || basis.burst),
    backlog: count(basis.backlog),
    burst: count(basis.burst),
  });
  if (!forecast.drained) return word("drains_not", { what, ...said });
  return word("drains", { what, time: time(forecast.drained.median) });
}

function put(id, value, note, tone = "") {
  const box = at(id);
  box.textContent = value;
  box.className = `stat-value ${tone}`;
  const dd = box.parentElement;
  let line = dd.querySelector(".stat-note");
  if (!line) {
    line = document.createElement("span");
    line.className = "stat-note";
    dd.append(line);
  }
  line.textContent = note;
}
