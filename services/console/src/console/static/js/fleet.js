// The fleet page: one feed, and what shows it.

import { Actions } from "./fleet_actions.js";
import { FleetCharts } from "./fleet_charts.js";
import { Notices } from "./fleet_notices.js";
import { FleetRows, lagText } from "./fleet_rows.js";
import { Series } from "./fleet_series.js";
import { live } from "./live.js";
import { number, time, word } from "./words.js";

let newest = null;
const series = new Series();
const notices = new Notices();
const actions = new Actions(() => newest);
const rows = new FleetRows((action, channel, button) => actions.act(action, channel, button));
const charts = new FleetCharts(series);
const summary = document.getElementById("fleet-summary");
const indicator = document.getElementById("live");
const clock = document.getElementById("wall-clock");

function show(look) {
  newest = look;
  notices.takeLook(look);
  rows.show(look, series);
  charts.draw(look.channels, look.actions ?? []);
  actions.show(look);
  summary.textContent = sentence(look);
  document.body.classList.toggle("stale", !look.broker.answers);
  if (clock) clock.textContent = time(Date.now());
}

// The page in one sentence, for whoever comes by.
function sentence({ channels, warnings }) {
  if (!channels.length) return word("no_channels");
  if (warnings.length) return word("needs_look", { what: [...new Set(warnings.map((each) => each.channel))].join(", ") });
  const waiting = channels.reduce((sum, channel) => sum + channel.ready, 0);
  if (channels.every((channel) => channel.workers?.paused)) return word("all_paused", { count: number(waiting) });
  const growing = channels.filter((channel) => channel.ready && channel.drain === "never" && !channel.workers?.paused);
  const [worst] = [...(growing.length ? growing : channels)].sort((a, b) => b.lag - a.lag);
  if (!waiting) return word(channels.some((channel) => channel.stuck) ? "nothing_waits_but_stuck" : "nothing_waits");
  const said = { channel: worst.name, lag: lagText(worst), count: number(growing.length ? worst.ready : waiting) };
  return word(growing.length ? "growing" : "all_flow", said);
}

function tell(state) {
  notices.takeFeed(state);
  document.body.classList.toggle("unheard", state.kind === "lost");
  const said = { live: "live", connecting: "connecting", lost: "lost", full: "full", hidden: "hidden" }[state.kind];
  if (indicator) {
    indicator.textContent = said ? word(said) : "";
    indicator.dataset.kind = state.kind;
  }
}

const first = document.getElementById("first-look");
if (first) show(JSON.parse(first.textContent));
live("/fleet/events", {
  events: {
    history: (history) => {
      series.takeHistory(history);
      if (newest) charts.draw(newest.channels, newest.actions ?? []);
    },
    look: (look) => {
      series.takeLook(look);
      show(look);
    },
  },
  onState: tell,
});
