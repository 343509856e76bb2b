// A replay while it runs, and how it ended.

import { ask } from "../dialog.js";
import { badge, icon } from "../icons.js";
import { number, word } from "../words.js";

const TONES = { waiting: "idle", running: "busy", stopping: "warn", done: "good", stopped: "warn", failed: "bad" };
const LEFT = ["notSelected", "tooYoung", "overMaxReplays", "cameBack", "refused", "unsure"];

/** Milliseconds for which one that has ended is shown. */
const SHOWN_MS = 15 * 60_000;

export class RunPanels {
  constructor({ onEnded }) {
    this.onEnded = onEnded;
    this.runs = new Map();
    this.panels = new Map();
  }

  /** Takes over the fleet's replays. */
  show(state) {
    for (const { channel, run } of state.channels) if (run) this.#take(channel, run);
    const place = document.getElementById("no-control");
    if (place) place.replaceChildren(...(state.replays.possible ? [] : [notice(state.replays.reason)]));
    for (const button of document.querySelectorAll("[data-replay]")) button.disabled = !state.replays.possible;
  }

  /** Shows a run that was just started, before the state knows of it. */
  follow(run) {
    this.#take(run.channel, run);
  }

  /** Puts the panels back after the page's contents were exchanged. */
  restore() {
    for (const [channel, panel] of this.panels) this.#places(channel).forEach((place) => place.replaceChildren(panel.box));
  }

  #take(channel, run) {
    const before = this.runs.get(channel);
    if (run.ended && Date.now() - new Date(run.endedAt) > SHOWN_MS) return;
    if (before && before.id !== run.id && new Date(before.startedAt) > new Date(run.startedAt)) return;
    this.runs.set(channel, run);
    let panel = this.panels.get(channel);
    if (!panel || panel.id !== run.id) {
      panel = new RunPanel(run);
      this.panels.set(channel, panel);
      this.restore();
    }
    panel.show(run);
    if (before && before.id === run.id && !before.ended && run.ended) this.onEnded(channel);
  }

  #places(channel) {
    return document.querySelectorAll(`[data-run="${CSS.escape(channel)}"]`);
  }
}

class RunPanel {
  constructor(run) {
    this.id = run.id;
    this.box = element("section", "dl-run");
    this.box.setAttribute("aria-label", word("dl_state_running"));
    this.head = element("div", "row");
    this.meter = element("progress", "meter");
    this.meter.setAttribute("aria-label", word("dl_run_progress"));
    this.text = element("p", "dl-run-text small");
    this.text.setAttribute("role", "status");
    this.rest = element("ul", "dl-run-rest small soft");
    this.stop = element("button", "button small danger");
    this.stop.type = "button";
    this.stop.append(icon("stop"), word("dl_stop"));
    this.stop.addEventListener("click", () => this.#stop());
    this.state = element("span", "");
    this.by = element("span", "soft small");
    this.head.append(this.state, this.by, this.stop);
    this.box.append(this.head, this.meter, this.text, this.rest);
  }

  show(run) {
    this.run = run;
    this.#note();
    if (this.shownState !== run.state) this.state.replaceChildren(badge(TONES[run.state], word(`dl_state_${run.state}`)));
    this.shownState = run.state;
    this.by.textContent = word("dl_run_by", { who: run.askedBy || "?" });
    this.stop.hidden = run.ended || run.state === "stopping";
    this.meter.hidden = run.ended;
    if (run.total) Object.assign(this.meter, { max: run.total, value: Math.min(run.seen, run.total) });
    else this.meter.removeAttribute("value");
    this.text.textContent = this.#sentence(run);
    this.rest.replaceChildren(...(run.ended ? leftOver(run) : []).map((text) => Object.assign(element("li", ""), { textContent: text })));
  }

  #sentence(run) {
    const numbers = { moved: number(run.moved), seen: number(run.seen), total: number(run.total ?? 0) };
    const far = run.total === null ? word("dl_run_start") : word("dl_run_far", numbers);
    const rate = this.#rate();
    return [far, !run.ended && rate ? word("dl_run_rate", { rate: number(rate) }) : "", run.message].filter(Boolean).join(" · ");
  }

  /** Remembers what had moved when, for some seconds. */
  #note() {
    this.notes = [...(this.notes ?? []), [performance.now(), this.run.moved]].slice(-6);
  }

  #rate() {
    const [[from, before], [to, now]] = [this.notes[0], this.notes.at(-1)];
    return to > from ? ((now - before) / (to - from)) * 1000 : 0;
  }

  async #stop() {
    const agreed = await ask({ title: word("dl_stop_title"), text: word("dl_stop_text"), action: word("dl_stop") });
    if (agreed) document.dispatchEvent(new CustomEvent("stop-run", { detail: { channel: this.run.channel, id: this.run.id } }));
  }
}

/** Says why letters that were there are there still. */
function leftOver({ summary }) {
  if (!summary) return [];
  const counts = LEFT.map((why) => [why, summary[why]]).concat([["notSeen", summary.depth - summary.seen]]);
  return counts.filter(([, count]) => count > 0).map(([why, count]) => word(`dl_left_${why}`, { count: number(count) }));
}

function notice(reason) {
  const box = element("div", "notice warn");
  const text = element("div", "");
  const title = element("p", "notice-title");
  title.textContent = word("dl_no_control");
  const why = element("p", "");
  why.textContent = reason;
  text.append(title, why);
  box.append(icon("tone-warn"), text);
  return box;
}

function element(name, className) {
  const made = document.createElement(name);
  if (className) made.className = className;
  return made;
}
