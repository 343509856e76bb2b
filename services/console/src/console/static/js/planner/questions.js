// The form of what-ifs: what differs from the fleet becomes the question.

import { percent, rate, time, count } from "./quantities.js";
import { number, word } from "../words.js";

const NUMBERS = ["arrival_per_s", "burst", "burst_over_s", "target", "fewest", "most", "workers", "lag_s"];
const USUAL_LAG_S = 60;

export class Questions {
  constructor(form, changed) {
    this.form = form;
    this.fields = form.elements;
    this.touched = new Set();
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", (event) => {
      this.touched.add(event.target.name);
      this.#show();
      changed();
    });
    form.addEventListener("reset", () =>
      queueMicrotask(() => {
        this.touched.clear();
        this.fill(this.figures);
        changed();
      }),
    );
    this.peak = document.getElementById("peak-seen");
    this.peak.querySelector("button").addEventListener("click", () => {
      this.set({ burst: this.figures.peak.messages, burst_over_s: 30 });
      changed();
    });
  }

  /** Fills what nobody has changed with what the fleet does. */
  fill(figures) {
    this.figures = figures;
    const { rule } = figures;
    const usual = { burst: 0, burst_over_s: 0, target: rule.target, fewest: rule.fewest, most: rule.most, workers: figures.workers, lag_s: USUAL_LAG_S };
    for (const [name, value] of Object.entries(usual)) if (!this.touched.has(name)) this.fields[name].value = value;
    if (!this.touched.has("follows")) this.fields.follows.checked = rule.follows;
    if (!this.touched.has("failing")) this.fields.failing.value = Math.round(figures.failing.value * 100);
    if (!this.touched.has("arrival_times")) this.fields.arrival_times.value = 1;
    if (!this.touched.has("arrival_per_s")) this.fields.arrival_per_s.value = "";
    this.#show();
  }

  /** Sets some fields as if they had been typed into. */
  set(values) {
    for (const [name, value] of Object.entries(values)) {
      this.touched.add(name);
      if (this.fields[name].type === "checkbox") this.fields[name].checked = value;
      else this.fields[name].value = value;
    }
    this.#show();
  }

  /** The question, as the API takes it; null while something typed makes no sense. */
  read() {
    if (!this.form.checkValidity()) return null;
    const question = { arrival_times: Number(this.fields.arrival_times.value), lag_s: USUAL_LAG_S };
    for (const name of NUMBERS) {
      if (this.touched.has(name) && this.fields[name].value !== "") question[name] = Number(this.fields[name].value);
    }
    if (this.touched.has("failing")) question.failing = Number(this.fields.failing.value) / 100;
    if (this.touched.has("follows")) question.follows = this.fields.follows.checked;
    if (this.fields.follows.checked) delete question.workers;
    return question;
  }

  #show() {
    const typed = this.fields.arrival_per_s.value;
    const base = typed === "" ? this.figures.arrival.value : Number(typed);
    const times = Number(this.fields.arrival_times.value);
    document.getElementById("arrivals-shown").value =
      times === 1 ? rate(base) : word("times_rate", { times: number(times), rate: rate(base), result: rate(base * times) });
    document.getElementById("failing-shown").value = percent(
      this.touched.has("failing") ? Number(this.fields.failing.value) / 100 : this.figures.failing.value,
    );
    for (const part of this.form.querySelectorAll("[data-when]")) part.hidden = !this.fields.follows.checked;
    for (const part of this.form.querySelectorAll("[data-unless]")) part.hidden = this.fields.follows.checked;
    for (const name of NUMBERS) this.fields[name].classList.toggle("changed", this.touched.has(name) && this.fields[name].value !== "");
    const { peak } = this.figures;
    this.peak.hidden = !peak || peak.messages < 20;
    if (peak) this.peak.querySelector("span").textContent = word("peak_seen", { count: count(peak.messages), ago: time(peak.ago) });
  }
}
