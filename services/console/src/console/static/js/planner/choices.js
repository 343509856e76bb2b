// Settings that keep the lag, and what they cost.

import { count, ends, precise, time } from "./quantities.js";
import { badge } from "../icons.js";
import { word } from "../words.js";

const at = (id) => document.getElementById(id);

/** Shows what the search found; `use(choice)` is called when somebody wants to try one. */
export function showChoices(choices, use) {
  at("advice").textContent = advice(choices);
  const rows = [choices.asIs, ...choices.front.filter((each) => !same(each, choices.asIs))];
  at("choices").hidden = rows.length < 2;
  at("choices").querySelector("tbody").replaceChildren(...rows.map((choice) => row(choice, choices, use)));
  const note = word("choices_note", { count: count(choices.tried), horizon: time(choices.horizon) });
  at("choices-note").textContent = choices.complete ? note : `${note} ${word("choices_incomplete")}`;
}

/** Says that the search goes on; what was found before is of another question. */
export function waitForChoices() {
  at("advice").textContent = word("searching");
  at("choices").hidden = true;
  at("choices-note").textContent = "";
}

const same = (one, other) => one.target === other.target && one.most === other.most;
const setting = ({ target, most }) => word(target ? "setting" : "setting_standing", { target: count(target ?? 0), most: count(most) });

function advice({ best, asIs, lag, horizon, limit }) {
  const said = { limit: time(lag), horizon: time(horizon) };
  if (!best) return word("advice_none", { ...said, most: count(limit) });
  if (same(best, asIs)) return word("advice_as_is", said);
  const values = { target: count(best.target ?? 0), most: count(best.most), hours: precise(best.workerHours.median), now: precise(asIs.workerHours.median) };
  return word(best.target ? "advice" : "advice_standing", { ...said, ...values });
}

function row(choice, choices, use) {
  const line = document.createElement("tr");
  const isBest = choices.best && same(choice, choices.best);
  line.classList.toggle("is-best", Boolean(isBest));
  const name = cell("th", setting(choice));
  name.scope = "row";
  if (isBest) name.append(badge("good", word("recommended")));
  if (same(choice, choices.asIs)) name.append(badge("idle", word("as_asked")));
  const lag = cell("td", (choice.grows ? "≥ " : "") + time(choice.peakLag.median), "number");
  const spread = ends(choice.peakLag, time);
  if (spread) lag.append(" ", small(spread));
  if (!choice.keeps) lag.append(" ", badge("bad", word("too_old")));
  const hours = cell("td", precise(choice.workerHours.median), "number");
  const average = cell("td", precise((choice.workerHours.median * 3600) / choices.horizon), "number");
  line.append(name, lag, hours, average, same(choice, choices.asIs) ? cell("td", "") : button(choice, use));
  return line;
}

function button(choice, use) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "button small";
  made.textContent = word("use");
  made.setAttribute("aria-label", word("use_long", { setting: setting(choice) }));
  made.addEventListener("click", () => use(choice));
  const box = cell("td", "", "number");
  box.append(made);
  return box;
}

function cell(tag, text, name = "") {
  const made = document.createElement(tag);
  made.className = name;
  made.textContent = text;
  return made;
}

function small(text) {
  return cell("span", text, "spread");
}
