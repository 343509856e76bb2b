// The page's own language: the templates put its sentences into <script type="application/json" class="words">.

const sentences = {};
for (const block of document.querySelectorAll("script.words")) Object.assign(sentences, JSON.parse(block.textContent));

/** Gives a sentence; {name} in it stands for values.name. */
export function word(key, values = {}) {
  const sentence = sentences[key] ?? key;
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

const spoken = document.documentElement.lang || "en";
/** The page's language, for Intl: with the browser's own region where it has one. */
export const language = navigator.languages.find((each) => each.split("-")[0] === spoken) ?? spoken;

const whole = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
const clock = new Intl.DateTimeFormat(language, { timeStyle: "medium", hourCycle: "h23" });
const calendar = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" });

/** A number as people write it here; small ones keep one decimal. */
export const number = (value) => (Math.abs(value) < 10 && value % 1 ? fine : whole).format(value);
/** Hours, minutes and seconds of a moment (Date, or what Date takes). */
export const time = (moment) => clock.format(new Date(moment));
/** Day and time of a moment. */
export const dateTime = (moment) => calendar.format(new Date(moment));

const unit = (name) => new Intl.NumberFormat(language, { style: "unit", unit: name, unitDisplay: "short", maximumFractionDigits: 0 });
const units = { day: [86400, unit("day")], hour: [3600, unit("hour")], minute: [60, unit("minute")], second: [1, unit("second")] };

/** A duration by its two largest units: "2 hr 5 min", "42 sec". */
export function duration(seconds) {
  const parts = [];
  let rest = Math.max(0, Math.round(seconds));
  for (const [size, format] of Object.values(units)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count || (size === 1 && !parts.length)) parts.push(format.format(count));
    else if (parts.length) break;
    if (parts.length === 2) break;
  }
  return parts.join(" ");
}
