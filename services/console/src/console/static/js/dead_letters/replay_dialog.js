// Before anything moves: which letters, how fast, and what exactly would happen to them.

import { ApiError, post, sayError } from "../api.js";
import { toast } from "../toasts.js";
import { duration, number, word } from "../words.js";

const TYPING_MS = 350;
const STAYS = ["tooYoung", "overMaxReplays", "beyondLimit", "damaged", "notChosen"];

/** Asks and starts. `chosen`: { options, which }. Gives the run, also the one that somebody else started first; else null. */
export function openReplayDialog(channel, chosen) {
  return new ReplayDialog(channel, chosen).ask();
}

class ReplayDialog {
  constructor(channel, { options, which }) {
    this.channel = channel;
    this.chosen = options;
    this.dialog = document.getElementById("replay-dialog");
    this.form = this.dialog.querySelector("form");
    this.place = this.dialog.querySelector(".dl-forecast");
    this.start = this.form.querySelector('[type="submit"]');
    this.dialog.querySelector(".dl-which").textContent = which;
    this.number = 0;
  }

  async ask() {
    this.form.reset();
    if (this.chosen.limit) this.form.elements.limit.value = this.chosen.limit;
    const listen = { signal: (this.ending = new AbortController()).signal };
    this.form.addEventListener("input", () => this.#later(), listen);
    this.form.querySelector("[data-cancel]").addEventListener("click", () => this.dialog.close("no"), listen);
    const closed = new Promise((resolve) => this.dialog.addEventListener("close", resolve, { once: true }));
    this.dialog.returnValue = "";
    this.dialog.showModal();
    this.form.querySelector("input").focus();
    this.#foretell();
    await closed;
    this.ending.abort();
    clearTimeout(this.timer);
    this.number += 1;
    return this.dialog.returnValue === "yes" ? this.#begin() : null;
  }

  async #begin() {
    try {
      const run = await post(this.#path(), this.#options());
      toast(word("dl_started", { channel: this.channel }), "good");
      return run;
    } catch (error) {
      sayError(error);
      return error instanceof ApiError ? error.problem.run ?? null : null;
    }
  }

  #path() {
    return `/admin/dlq/${encodeURIComponent(this.channel)}/replay`;
  }

  #options() {
    const value = (name) => (this.form.elements[name].value === "" ? null : Number(this.form.elements[name].value));
    const older = value("older");
    return {
      ...this.chosen,
      rate: value("rate"),
      limit: value("limit"),
      olderThanS: older === null ? null : older * 60,
      maxReplays: value("maxReplays"),
    };
  }

  #later() {
    this.start.disabled = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#foretell(), TYPING_MS);
  }

  async #foretell() {
    const number = ++this.number;
    this.start.disabled = true;
    if (!this.form.checkValidity()) return;
    this.place.setAttribute("aria-busy", "true");
    if (!this.place.children.length || !this.shown) this.place.replaceChildren(line(word("dl_forecasting"), "soft"));
    try {
      const forecast = await post(this.#path(), { ...this.#options(), dryRun: true });
      if (number !== this.number) return;
      this.shown = true;
      this.#show(forecast);
    } catch (error) {
      if (number === this.number) this.place.replaceChildren(line(error.message, "field-error"));
    } finally {
      if (number === this.number) this.place.removeAttribute("aria-busy");
    }
  }

  #show(forecast) {
    const { moves, notLookedAt, groups, stays } = forecast;
    this.start.disabled = !moves && !notLookedAt;
    this.start.textContent = moves ? word("dl_start", { count: number(moves) }) : word("dl_start_none");
    const title = moves === 1 ? word("dl_moves_one", { queue: this.#queue() }) : word("dl_moves", { count: number(moves), queue: this.#queue() });
    const rows = STAYS.filter((why) => stays[why]).map((why) => line(word(`dl_stay_${why}`, { count: number(stays[why]) }), "dl-stays"));
    if (notLookedAt) rows.push(line(word("dl_stay_notLookedAt", { count: number(notLookedAt) }), "dl-stays"));
    const back = groups.reduce((sum, group) => sum + (group.comesBack ? group.moves : 0), 0);
    if (back) rows.push(line(word("dl_comes_back", { count: number(back) }), "dl-comes-back"));
    const foot = [forecast.seconds && moves ? word("dl_takes", { time: duration(forecast.seconds) }) : "", word("dl_as_of", { age: duration(forecast.ageS) })];
    this.place.replaceChildren(
      line(moves ? title : word("dl_moves_none"), "dl-moves"),
      ...(groups.length > 1 ? [table(groups)] : []),
      ...rows,
      line(foot.filter(Boolean).join(" "), "faint small"),
    );
  }

  #queue() {
    return `media.${this.channel}`;
  }
}

function line(text, className) {
  const paragraph = document.createElement("p");
  paragraph.className = className;
  paragraph.textContent = text;
  return paragraph;
}

/** Groups with what goes and what stays. */
function table(groups) {
  const box = document.createElement("table");
  box.className = "dl-forecast-table";
  const head = box.createTHead().insertRow();
  for (const [text, className] of [[word("dl_group"), ""], [word("dl_goes"), "number"], [word("dl_stays"), "number"]]) {
    const cell = document.createElement("th");
    Object.assign(cell, { scope: "col", className, textContent: text });
    head.append(cell);
  }
  const body = box.createTBody();
  for (const group of groups.slice(0, 8)) {
    const row = body.insertRow();
    const name = document.createElement("th");
    name.scope = "row";
    name.textContent = `${group.error === "-" ? word("dl_no_error") : group.error} · ${group.reason}`;
    const stays = STAYS.reduce((sum, why) => sum + (group[why] ?? 0), 0);
    row.append(name);
    for (const count of [group.moves, stays]) Object.assign(row.insertCell(), { className: "number", textContent: number(count) });
  }
  return box;
}
