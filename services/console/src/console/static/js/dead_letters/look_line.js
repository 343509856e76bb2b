// The line that says how old a list is, and what goes on with its queue.

import { duration, number, word } from "../words.js";

/** Seconds after which the poller's count is younger than the look. */
const SETTLED_S = 8;

/** Writes the line of one channel. */
export function showLook(line, { depth, look, run }) {
  const text = sentence(look, depth, run);
  if (line.textContent !== text) line.textContent = text;
  line.classList.toggle("warn", Boolean(look.trouble || look.busy));
}

function sentence(look, depth, run) {
  if (look.looking) {
    if (look.lookingDepth === null) return word("dl_looking");
    return word("dl_looking_far", { seen: number(look.lookingSeen), depth: number(look.lookingDepth) });
  }
  const replaying = run && !run.ended;
  const parts = [];
  if (look.id) {
    parts.push(look.ageS < 5 ? word("dl_seen_now") : word("dl_seen_ago", { age: duration(roughly(look.ageS)) }));
    const more = depth === null || replaying || look.ageS < SETTLED_S ? 0 : depth - look.depth;
    if (more) parts.push(word(more > 0 ? "dl_more" : "dl_fewer", { count: number(Math.abs(more)) }));
  }
  if (look.trouble) parts.push(look.trouble);
  else if (replaying) parts.push(word("dl_replaying"));
  else if (look.busy) parts.push(word("dl_busy"));
  return parts.join(" · ");
}

/** Steps of ten seconds, so that the line does not count. */
const roughly = (seconds) => (seconds < 60 ? Math.floor(seconds / 5) * 5 : Math.floor(seconds / 60) * 60);
