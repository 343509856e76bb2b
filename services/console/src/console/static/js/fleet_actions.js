// What operators do: each action is asked about first, in words that say what it will do.

import { get, post, withButton } from "./api.js";
import { ask } from "./dialog.js";
import { toast } from "./toasts.js";
import { number, time, word } from "./words.js";

const USUAL_BURST = 2000;

export class Actions {
  /** `look` gives the newest look. */
  constructor(look) {
    this.look = look;
    this.last = document.getElementById("last-action");
    document.getElementById("pause-all")?.addEventListener("click", (event) => this.act("pause", null, event.currentTarget));
    document.getElementById("resume-all")?.addEventListener("click", (event) => this.act("resume", null, event.currentTarget));
    this.#offerBurst();
  }

  /** Asks, does it, and says that it is done. `channel`: null for all. */
  async act(action, channel, button) {
    const looked = this.look();
    if (!looked) return;
    const chosen = looked.channels.filter((each) => channel === null || each.name === channel);
    const answers = await ask({ scale: askScale, pause: askPause, resume: askResume }[action](channel, chosen));
    if (!answers) return;
    const done = await withButton(button, () => this.#send(action, channel, answers));
    if (done) toast(sentence(done), "good");
  }

  /** Shows who acted last, and keeps the buttons for all in step with the fleet. */
  show(look) {
    const [newest] = look.actions ?? [];
    const text = newest
      ? word("last_action", { what: sentence(newest), who: newest.who, time: time(newest.at * 1000) })
      : word("no_action");
    if (this.last.textContent !== text) this.last.textContent = text;
    const paused = look.channels.filter((each) => each.workers?.paused);
    const [pause, resume] = ["pause-all", "resume-all"].map((id) => document.getElementById(id));
    if (!pause) return;
    pause.disabled = !look.control.answers || paused.length === look.channels.length;
    resume.disabled = !look.control.answers;
    resume.hidden = !look.channels.some((each) => each.workers?.paused || each.workers?.held);
    resume.classList.toggle("primary", paused.length > 0);
  }

  #send(action, channel, answers) {
    if (action === "scale") return post(`/admin/workers/${encodeURIComponent(channel)}/scale`, { count: Number(answers.count) });
    return post(`/admin/workers/${action}`, channel === null ? {} : { channel });
  }

  async #offerBurst() {
    const button = document.getElementById("burst");
    if (!button) return;
    const { allowed, most } = await get("/admin/burst").catch(() => ({ allowed: false }));
    button.hidden = !allowed;
    button.addEventListener("click", () => this.#burst(button, most ?? USUAL_BURST));
  }

  async #burst(button, most) {
    const field = { name: "count", label: word("burst_count"), value: Math.min(USUAL_BURST, most), min: 1, max: most, step: 1, required: true,
      note: word("burst_note", { most: number(most) }) };
    const answers = await ask({ title: word("ask_burst"), text: word("burst_text"), action: word("burst"), fields: [field] });
    if (!answers) return;
    const done = await withButton(button, () => post("/admin/burst", { count: Number(answers.count) }));
    if (done) toast(sentence(done), "good");
  }
}

const sum = (channels, value) => number(channels.reduce((total, channel) => total + (value(channel) ?? 0), 0));

function askPause(channel, chosen) {
  return {
    title: channel === null ? word("ask_pause_all") : word("ask_pause", { channel }),
    text: chosen.some((each) => each.unacked)
      ? word("pause_text", { unacked: sum(chosen, (each) => each.unacked) })
      : word("pause_text_idle"),
    action: word("pause"),
  };
}

function askResume(channel, chosen) {
  const waiting = chosen.filter((each) => each.workers?.paused);
  const text = [];
  if (waiting.length) {
    text.push(word("resume_text", { wanted: sum(waiting, (each) => each.workers.wanted), ready: sum(waiting, (each) => each.ready) }));
  }
  if (chosen.some((each) => each.workers?.scaledBy !== "hand")) text.push(word("release_text"));
  return { title: channel === null ? word("ask_resume_all") : word("ask_resume", { channel }), text, action: word("resume") };
}

function askScale(channel, [{ workers }]) {
  const text = [word("scale_text", { now: number(workers.ready) })];
  if (workers.scaledBy !== "hand") text.push(word("scale_held"));
  const field = { name: "count", label: word("scale_count"), value: workers.wanted, min: 0, max: 1000, step: 1, required: true,
    note: word("scale_note", { minimum: workers.minimum, maximum: workers.maximum }) };
  return { title: word("ask_scale", { channel }), text, action: word("scale"), fields: [field] };
}

function sentence({ action, channel, detail, outcome = "done" }) {
  const all = !channel && (action === "pause" || action === "resume");
  const count = /^\d+$/.test(detail) ? number(Number(detail)) : detail;
  const said = word(`did_${action}${all ? "_all" : ""}`, { channel, detail: count });
  return outcome === "done" ? said : word("tried", { what: said });
}
