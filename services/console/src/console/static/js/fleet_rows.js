// One row for each channel: the numbers, the state in a word, workers as pips, and the last minutes in small.

import { badge, channel as channelName } from "./icons.js";
import { sparkline } from "./sparkline.js";
import { language, number, word } from "./words.js";

const SPAN_S = 900;
const SHORTEST_S = 180;
const MOST_PIPS = 32;
const rateFormat = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });

/** A rate as people read it: whole numbers from a hundred on. */
export const rate = (value) => (value >= 100 ? number(Math.round(value)) : rateFormat.format(value));

const brief = (unit) => new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "narrow", maximumFractionDigits: 0 });
const BRIEF = [[86400, brief("day")], [3600, brief("hour")], [60, brief("minute")], [1, brief("second")]];

/** A duration in a cell: its two largest units, as short as the language has them. */
export function short(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const first = BRIEF.findIndex(([size]) => whole >= size);
  const parts = BRIEF.slice(first < 0 ? 3 : first, first < 0 ? 4 : first + 2);
  return parts.map(([size, format], i) => format.format(Math.floor((i ? whole % parts[0][0] : whole) / size))).join(" ");
}

/** A lag, or that it is at least so long. */
export function lagText({ lag, lagExact }) {
  const text = short(lag);
  return lagExact ? text : word("at_least", { duration: text });
}

/** The channel's state: [tone, word]. The worst comes first. */
export function stateOf(channel) {
  const { workers, ready, unacked, consumers } = channel;
  if (channel.storm === "raging") return ["bad", word("state_storm")];
  if (channel.storm === "suspected") return ["warn", word("state_suspected")];
  if (workers?.paused) return ["idle", word("state_paused")];
  if (ready && !consumers && workers?.starting) return ["busy", word("state_starting")];
  if (ready && !consumers) return ["bad", word("state_unattended")];
  if (ready && channel.drain === "never") return ["warn", word("state_growing")];
  if (ready) return ["busy", word("state_draining")];
  if (unacked) return ["busy", word("state_working")];
  return ["good", word("state_quiet")];
}

export class FleetRows {
  constructor(onAction) {
    this.body = document.getElementById("channels");
    this.template = document.getElementById("channel-row");
    this.rows = new Map();
    this.onAction = onAction;
  }

  /** Shows the look's channels, in its order. */
  show(look, series) {
    for (const [name, row] of this.rows) {
      if (!look.channels.some((channel) => channel.name === name)) {
        row.remove();
        this.rows.delete(name);
      }
    }
    look.channels.forEach((channel, position) => {
      const row = this.rows.get(channel.name) ?? this.#make(channel);
      if (this.body.children[position] !== row) this.body.insertBefore(row, this.body.children[position] ?? null);
      this.#fill(row, channel, look);
      this.#draw(row, channel, series);
    });
  }

  #make(channel) {
    const row = this.template.content.firstElementChild.cloneNode(true);
    row.dataset.channel = channel.name;
    row.classList.add(`mark-${channel.mark}`);
    row.querySelector(".row-name").append(channelName(channel.name, channel.mark));
    for (const action of ["pause", "resume", "scale"]) {
      const button = row.querySelector(`button.${action}`);
      if (!button) continue;
      button.setAttribute("aria-label", word(`${action}_channel`, { channel: channel.name }));
      button.addEventListener("click", () => this.onAction(action, channel.name, button));
    }
    this.rows.set(channel.name, row);
    return row;
  }

  #fill(row, channel, look) {
    const [tone, state] = stateOf(channel);
    const stateBox = row.querySelector(".row-state");
    if (stateBox.dataset.state !== state) {
      stateBox.dataset.state = state;
      stateBox.replaceChildren(badge(tone, state));
    }
    put(row, ".lag", lagText(channel), channel.ready === 0);
    put(row, ".ready", number(channel.ready), channel.ready === 0);
    put(row, ".unacked", number(channel.unacked), channel.unacked === 0);
    put(row, ".rate-in", rate(channel.publishedRate), channel.publishedRate === 0);
    put(row, ".rate-out", rate(channel.ackedRate), channel.ackedRate === 0);
    put(row, ".drain", drainText(channel), channel.drain === 0);
    row.querySelector(".drain").title = channel.drain === "never" ? word("never_long") : "";
    put(row, ".stuck", number(channel.stuck), channel.stuck === 0);
    row.querySelector(".stuck").classList.toggle("alarming", channel.stuck > 0);
    this.#fillDead(row.querySelector(".dead"), channel);
    this.#fillWorkers(row, channel);
    this.#fillButtons(row, channel, look);
  }

  #fillDead(cell, { name, deadLetters }) {
    if (cell.dataset.count === String(deadLetters)) return;
    cell.dataset.count = deadLetters;
    cell.classList.toggle("none", deadLetters === 0);
    if (!deadLetters) return cell.replaceChildren(number(0));
    const link = document.createElement("a");
    link.href = `/dead-letters?channel=${encodeURIComponent(name)}`;
    link.textContent = number(deadLetters);
    link.setAttribute("aria-label", word("letters_of", { count: number(deadLetters), channel: name }));
    return cell.replaceChildren(link);
  }

  #fillWorkers(row, channel) {
    const { workers, consumers } = channel;
    const cell = row.querySelector(".workers");
    const text = cell.querySelector(".workers-text");
    const pips = cell.querySelector(".pips");
    if (!workers) {
      text.textContent = word("workers_unknown", { count: consumers });
      return pips.replaceChildren();
    }
    const { ready, starting, failed, wanted, minimum, maximum, held } = workers;
    const now = document.createElement("b");
    now.textContent = word("workers_now", { now: number(ready), wanted: number(wanted) });
    const bounds = document.createElement("span");
    bounds.className = "soft small";
    bounds.textContent = ` ${held ? `${word("held")} · ` : ""}${word("workers_bounds", { minimum, maximum })}`;
    text.replaceChildren(now, bounds);
    cell.title = word("workers_long", { now: ready, wanted, minimum, maximum, consumers });
    const key = [ready, starting, failed, wanted, maximum].join(",");
    if (pips.dataset.key === key) return undefined;
    pips.dataset.key = key;
    const total = Math.max(maximum, ready + starting + failed);
    if (total > MOST_PIPS) return pips.replaceChildren();
    const kinds = [...Array(ready).fill("on"), ...Array(starting).fill("coming"), ...Array(failed).fill("failed")];
    return pips.replaceChildren(...[...Array(total).keys()].map((i) => pip(kinds[i] ?? (i < wanted ? "wanted" : "off"))));
  }

  #fillButtons(row, { workers }, look) {
    const [pause, resume, scale] = ["pause", "resume", "scale"].map((name) => row.querySelector(`button.${name}`));
    if (!pause) return;
    const reachable = look.control.answers && workers !== null;
    pause.hidden = Boolean(workers?.paused);
    resume.hidden = !workers?.paused && !workers?.held;
    for (const button of [pause, resume, scale]) {
      button.disabled = !reachable;
      button.title = reachable ? "" : word("fleet_unreachable");
    }
  }

  #draw(row, channel, series) {
    const canvas = row.querySelector("canvas");
    sparkline(canvas, {
      at: series.at,
      area: series.column(channel.name, "ready"),
      line: series.column(channel.name, "unacked"),
      span: Math.min(SPAN_S, Math.max(SHORTEST_S, series.last - (series.at[0] ?? series.last))),
      areaColour: `--channel-${channel.mark}`,
      lineColour: "--ink",
    });
    const said = word("spark_label", { channel: channel.name, ready: number(channel.ready), unacked: number(channel.unacked) });
    if (canvas.getAttribute("aria-label") !== said) canvas.setAttribute("aria-label", said);
  }
}

function drainText({ drain }) {
  if (drain === null) return "–";
  return drain === "never" ? word("never") : short(drain);
}

function put(row, selector, text, none) {
  const cell = row.querySelector(selector);
  if (cell.textContent !== text) cell.textContent = text;
  cell.classList.toggle("none", none);
}

function pip(kind) {
  const mark = document.createElement("i");
  mark.className = kind;
  return mark;
}
