// What must be read: broker or console gone, and what an operator should look at.

import { icon } from "./icons.js";
import { duration, number, time, word } from "./words.js";

// Without a look for so long although the console lives, its own look at the broker hangs.
const SILENCE_MS = 8000;

export class Notices {
  constructor() {
    this.place = document.getElementById("notices");
    this.shown = new Map();
    this.look = null;
    this.feed = { kind: "connecting", since: null };
    this.lookedAt = Date.now();
    setInterval(() => this.#show(), 1000);
  }

  takeLook(look) {
    this.look = look;
    this.lookedAt = Date.now();
    this.#show();
  }

  takeFeed(state) {
    this.feed = state;
    this.#show();
  }

  // A notice stays as it is while it holds: a live region must not be read out every second.
  #show() {
    const wanted = new Map([...this.#ofFeed(), ...this.#ofLook()].map((notice) => [notice.key, notice]));
    for (const [key, { box }] of this.shown) {
      if (!wanted.has(key)) {
        box.remove();
        this.shown.delete(key);
      }
    }
    for (const [key, notice] of wanted) {
      const shown = this.shown.get(key) ?? this.#make(notice);
      if (shown.title.textContent !== notice.title) shown.title.textContent = notice.title;
      if (shown.text.textContent !== notice.text) shown.text.textContent = notice.text;
      shown.box.className = `notice ${notice.tone}`;
      this.shown.set(key, shown);
    }
    this.#count();
  }

  *#ofFeed() {
    const { kind, since } = this.feed;
    if (kind === "full") yield { key: "full", tone: "warn", title: word("full_title"), text: word("full_text") };
    if (kind !== "lost") return;
    const title = since ? word("console_gone", { time: time(since) }) : word("console_gone_first");
    yield { key: "console", tone: "bad", title, text: word("console_gone_text"), since: since && since.getTime() / 1000 };
  }

  *#ofLook() {
    if (!this.look || this.feed.kind === "lost") return;
    const { broker, control, warnings } = this.look;
    if (this.feed.kind === "live" && Date.now() - this.lookedAt > SILENCE_MS) {
      const title = word("broker_gone", { time: time(this.lookedAt) });
      yield { key: "broker", tone: "bad", title, text: word("broker_silent_text"), since: this.lookedAt / 1000 };
    } else if (!broker.answers) {
      const title = word("broker_gone", { time: time(broker.since * 1000) });
      yield { key: "broker", tone: "bad", title, text: word("broker_gone_text", { reason: broker.reason }), since: broker.since };
    }
    for (const warning of warnings) yield ofWarning(warning);
    if (!control.answers) yield { key: "control", tone: "info", title: word("control_gone"), text: control.reason };
  }

  #make(notice) {
    const box = document.createElement("div");
    box.dataset.key = notice.key;
    const body = document.createElement("div");
    const head = document.createElement("p");
    head.className = "notice-title";
    const title = document.createElement("span");
    const age = document.createElement("span");
    age.className = "soft notice-age";
    age.setAttribute("aria-hidden", "true"); // it changes every second: to be seen, not to be read out
    head.append(title, " ", age);
    const text = document.createElement("p");
    body.append(head, text);
    box.append(icon(`tone-${notice.tone}`), body);
    this.place.append(box);
    return { box, title, text, age, since: notice.since };
  }

  #count() {
    for (const { age, since } of this.shown.values()) {
      if (since) age.textContent = word("for", { duration: duration(Date.now() / 1000 - since) });
    }
  }
}

function ofWarning({ kind, severity, channel, since, values }) {
  const said = { channel, node: values.node, reason: values.reason, count: number(values.count ?? 0), rate: number(values.rate ?? 0), duration: duration(values.seconds ?? 0) };
  return { key: `${kind} ${channel}`, tone: severity === "critical" ? "bad" : "warn", title: word(kind, said), text: word(`${kind}_text`, said), since };
}
