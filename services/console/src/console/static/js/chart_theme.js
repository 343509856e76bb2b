// How charts get their colours and shapes: from the page's tokens, so that they follow light and dark.

import { channel, icon } from "./icons.js";
import { colour, onThemeChange } from "./theme.js";

/** Whether the page is on a wall screen: all is larger there. */
export const WALL = document.documentElement.hasAttribute("data-wall");

let known = new Map();

/** Gives a token's colour, or the colour itself. Looked up once for each theme: asking at every frame costs more than drawing. */
export function paint(name) {
  if (!name.startsWith("--")) return name;
  if (!known.has(name)) known.set(name, colour(name));
  return known.get(name);
}

onThemeChange(() => {
  known = new Map();
});

/** The colour of a line: its channel's, or its own. */
export const lineColour = (line) => paint(line.mark ? `--channel-${line.mark}` : (line.color ?? "--accent"));

// The marks of icons.svg in a box of -1 … 1: a line's head carries its channel's shape, so colour never stands alone.
const MARKS = [
  "M-1 0A1 1 0 1 0 1 0A1 1 0 1 0-1 0Z",
  "M-.88-.88H.88V.88H-.88Z",
  "M0-1.05L1.1 .9H-1.1Z",
  "M0-1.2L1.2 0L0 1.2L-1.2 0Z",
  "M-.32-1H.32V-.32H1V.32H.32V1H-.32V.32H-1V-.32H-.32Z",
  "M0 1.05L-1.1-.9H1.1Z",
  "M-.5-.95H.5L1.05 0L.5 .95H-.5L-1.05 0Z",
  "M-1 0A1 1 0 1 0 1 0A1 1 0 1 0-1 0ZM-.5 0A.5 .5 0 1 1 .5 0A.5 .5 0 1 1-.5 0Z",
];
const paths = new Map();

/** The shape at a line's head, in a box of -1 … 1. */
export function headPath(line) {
  const shape = line.mark ?? line.shape ?? 1;
  if (!paths.has(shape)) paths.set(shape, new Path2D(MARKS[(shape - 1) % MARKS.length]));
  return paths.get(shape);
}

/** A line's name with its colour and shape, as the rest of the page shows channels. */
export function lineName(line) {
  if (line.mark) return channel(line.label, line.mark);
  const box = document.createElement("span");
  box.className = "channel";
  const shape = icon(`mark-${line.shape ?? 1}`, "", "channel-shape");
  const name = line.color ?? "--accent";
  box.style.setProperty("--channel", name.startsWith("--") ? `var(${name})` : name);
  box.append(shape, line.label);
  return box;
}
