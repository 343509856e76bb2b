// Moments that the server wrote in UTC, in the browser's own time.

import { dateTime } from "./words.js";

/** Rewrites every <time data-moment> below `root`. */
export function localMoments(root = document) {
  for (const each of root.querySelectorAll("time[data-moment]")) each.textContent = dateTime(each.dateTime);
}
