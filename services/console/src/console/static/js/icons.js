// Icons of the sprite, for scripts.

const SVG = "http://www.w3.org/2000/svg";
const sprite = new URL("../icons.svg", import.meta.url).pathname;

/** Gives an icon; without a label it is decoration. */
export function icon(name, label = "", className = "icon") {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", className);
  if (label) {
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", label);
  } else svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `${sprite}#${name}`);
  svg.append(use);
  return svg;
}

/** Gives a badge: a state in words with a shape of its own. tone: good, busy, warn, bad or idle. */
export function badge(tone, text) {
  const box = document.createElement("span");
  box.className = `badge ${tone}`;
  box.append(icon(`tone-${tone}`, "", "badge-shape"), text);
  return box;
}

/** Gives a channel's name with its colour and shape. */
export function channel(name, mark) {
  const box = document.createElement("span");
  box.className = `channel mark-${mark}`;
  box.append(icon(`mark-${mark}`, "", "channel-shape"), name);
  return box;
}
