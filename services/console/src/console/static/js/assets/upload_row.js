// One upload in the list: what it says, how far it is, its buttons.

import { icon } from "../icons.js";
import { duration, language, word } from "../words.js";

const percent = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0 });
const decimal = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** A number of bytes as people read it. */
export function sizeText(bytes) {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${decimal.format(bytes / 1000 ** power)} ${UNITS[power]}`;
}

export class UploadRow {
  #item = document.createElement("li");
  #said = document.createElement("p");
  #meter = document.createElement("progress");
  #actions = document.createElement("div");
  #name;

  constructor(place, name) {
    this.#name = name;
    this.#item.className = "upload-item";
    const title = document.createElement("p");
    title.className = "upload-name";
    title.textContent = name;
    this.#said.className = "upload-said";
    this.#meter.className = "meter";
    this.#meter.max = 1;
    this.#meter.value = 0;
    this.#meter.setAttribute("aria-label", name);
    this.#actions.className = "upload-actions";
    this.#item.append(title, this.#actions, this.#said, this.#meter);
    place.prepend(this.#item);
  }

  /** state: queued, sending, waiting, done, failed or canceled. actions: [[text, what to do, label]]. */
  show(state, said, actions) {
    this.#item.dataset.state = state;
    this.#said.textContent = said;
    this.#meter.hidden = state === "failed" || state === "canceled";
    const held = this.#actions.contains(document.activeElement);
    this.#actions.replaceChildren(...actions.map(([text, act, label]) => this.#button(text, act, label)));
    if (held) this.#actions.querySelector("a, button")?.focus();
  }

  #button(text, act, label) {
    const button = document.createElement(typeof act === "string" ? "a" : "button");
    button.className = "button small";
    if (typeof act === "string") {
      button.href = act;
      button.classList.add("primary");
    } else {
      button.type = "button";
      button.addEventListener("click", act);
    }
    if (text === "close") button.append(icon("close"));
    else button.textContent = text;
    button.setAttribute("aria-label", label ?? `${text}: ${this.#name}`);
    return button;
  }

  /** sent and total in bytes, rate in bytes a second (null: not known yet). */
  progress(sent, total, rate) {
    this.#meter.value = total ? sent / total : 0;
    const values = { percent: percent.format(sent / total), size: sizeText(total) };
    this.#said.textContent =
      sent >= total
        ? word("upload_storing")
        : rate
          ? word("upload_sending", { ...values, rate: sizeText(rate), left: duration((total - sent) / rate) })
          : word("upload_sending_soon", values);
  }

  countdown(seconds, reason) {
    this.#said.textContent = word("upload_again", { reason, seconds });
  }

  remove() {
    this.#item.remove();
  }
}
