// Ages of moments: "3 hr 5 min" in place of a time, which stays to be read on hovering.

import { dateTime, duration } from "../words.js";

/** Rewrites every <time data-age> below `root`. */
export function showAges(root = document) {
  for (const each of root.querySelectorAll("time[data-age]")) {
    const text = duration((Date.now() - new Date(each.dateTime)) / 1000);
    if (each.textContent !== text) each.textContent = text;
    if (!each.title) each.title = dateTime(each.dateTime);
  }
}
