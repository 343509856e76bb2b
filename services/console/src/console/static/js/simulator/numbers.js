// Every number on the page that has data-reading, five times a second: faster nobody reads.

import { language, word } from "../words.js";

const EVERY_MS = 200;

const format = (options) => {
  const written = new Intl.NumberFormat(language, options);
  return (value) => written.format(value);
};
const whole = format({ maximumFractionDigits: 0 });
const tenths = format({ minimumFractionDigits: 1, maximumFractionDigits: 1 });
const share = format({ style: "percent", maximumFractionDigits: 0 });

export const perSecond = (value) => word("per_s", { value: whole(value) });
export const seconds = (value) => word("seconds", { value: tenths(value) });
const longSeconds = (value) => word("seconds", { value: whole(value) });
const orNothing = (formatted) => (value) => (value === null ? "–" : formatted(value));

const FORMATS = {
  lag_s: seconds, waited_s: seconds, throttled_s: longSeconds, worker_s: longSeconds,
  in_per_s: perSecond, out_per_s: perSecond, offered_per_s: perSecond, dropped_per_s: perSecond,
  throttle: share, cpu: share, poison_time: share, used_share: share, second_try: orNothing(share),
};

const BAD = new Set(["dropped", "dead", "busy_on_poison"]);

export class Numbers {
  constructor(root = document) {
    this.places = [...root.querySelectorAll("[data-reading]")];
    this.shownAt = 0;
  }

  show(frame, { now = performance.now(), always = false } = {}) {
    if (!always && now - this.shownAt < EVERY_MS) return;
    this.shownAt = now;
    for (const place of this.places) {
      const name = place.dataset.reading;
      const said = (FORMATS[name] ?? whole)(frame[name]);
      if (place.textContent !== said) place.textContent = said;
      place.dataset.value = frame[name] ?? "";
      if (BAD.has(name)) place.classList.toggle("is-bad", frame[name] > 0);
    }
  }
}
