// Rates, durations and spreads as the page writes them.

import { duration, language, number, word } from "../words.js";

const fine = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 });
const share = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });

export const percent = (value) => share.format(value);
export const precise = (value) => fine.format(value);
export const count = (value) => number(Math.round(value));

/** Messages a second, or a minute where there are few. */
export function rate(perSecond) {
  if (perSecond > 0 && perSecond < 0.1) return word("per_min", { value: fine.format(perSecond * 60) });
  return word("per_s", { value: fine.format(perSecond) });
}

/** A duration that may be milliseconds or days. */
export function time(seconds) {
  if (seconds > 0 && seconds < 0.1) return word("milliseconds_short", { value: fine.format(seconds * 1000) });
  if (seconds < 10) return word("seconds_short", { value: fine.format(Math.round(seconds * 100) / 100) });
  return duration(seconds);
}

/** The ends of several runs, where they differ: "12 s to 15 s". */
export function ends({ low, high }, say) {
  const [from, to] = [say(low), say(high)];
  return from === to ? "" : word("range", { low: from, high: to });
}
