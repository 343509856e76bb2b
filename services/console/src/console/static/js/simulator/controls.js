// The form of switches and sliders: read into values, filled from values, and what belongs together shown together.

import { language, word } from "../words.js";
import { seconds } from "./numbers.js";

const written = (options) => {
  const format = new Intl.NumberFormat(language, options);
  return (value) => format.format(value);
};
const plain = written({ maximumFractionDigits: 1 });
const SHOWN = {
  count: plain,
  per_s: (value) => word("per_s", { value: plain(value) }),
  share: written({ style: "percent", maximumFractionDigits: 0 }),
  fine_share: written({ style: "percent", maximumFractionDigits: 1 }),
  seconds,
  fine_seconds: (value) => word("seconds", { value: written({ maximumFractionDigits: 2 })(value) }),
};

export class Controls {
  constructor(form, changed) {
    this.form = form;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", (event) => {
      this.#keepOrder(event.target);
      this.#show();
      changed(this.read());
    });
  }

  read() {
    const values = {};
    for (const field of this.form.elements) {
      if (!field.name) continue;
      if (field.type === "range") values[field.name] = Number(field.value);
      else if (field.type === "checkbox") values[field.name] = field.checked;
      else if (field.checked) values[field.name] = field.value;
    }
    return { ...values, endless: values.endless === "yes" };
  }

  fill(values) {
    const shown = { ...values, endless: values.endless ? "yes" : "no" };
    for (const field of this.form.elements) {
      if (!(field.name in shown)) continue;
      if (field.type === "checkbox") field.checked = shown[field.name];
      else if (field.type === "radio") field.checked = field.value === shown[field.name];
      else field.value = shown[field.name];
    }
    this.#show();
  }

  // At least is never above at most.
  #keepOrder(moved) {
    const { minimum, maximum } = this.form.elements;
    if (Number(minimum.value) <= Number(maximum.value)) return;
    if (moved === minimum) maximum.value = minimum.value;
    else minimum.value = maximum.value;
  }

  #show() {
    const values = this.form.elements;
    for (const output of this.form.querySelectorAll("[data-shown]")) {
      const field = values[output.dataset.shown];
      output.textContent = SHOWN[field.dataset.form](Number(field.value));
      field.setAttribute("aria-valuetext", output.textContent);
    }
    for (const part of this.form.querySelectorAll("[data-when]")) part.hidden = !this.#holds(part.dataset.when);
    for (const part of this.form.querySelectorAll("[data-unless]")) part.hidden = this.#holds(part.dataset.unless);
  }

  #holds(condition) {
    const [name, value] = condition.split("=");
    const field = this.form.elements[name];
    return value === undefined ? field.checked : field.value === value;
  }
}
