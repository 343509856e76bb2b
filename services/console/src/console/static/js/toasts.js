// Short messages at the edge of the page; screen readers hear them too.

import { icon } from "./icons.js";
import { word } from "./words.js";

const SHOWN_MS = 6000;

/** Says something for some seconds. tone: good, warn, bad or info; bad ones stay until they are closed. */
export function toast(message, tone = "info") {
  const place = document.getElementById("toasts");
  const box = document.createElement("div");
  box.className = `toast ${tone}`;
  const text = document.createElement("p");
  text.textContent = message;
  const close = document.createElement("button");
  close.type = "button";
  close.className = "button quiet small";
  close.setAttribute("aria-label", word("close"));
  close.append(icon("close"));
  close.addEventListener("click", () => box.remove());
  box.append(text, close);
  place.append(box);
  if (tone !== "bad") setTimeout(() => box.remove(), SHOWN_MS);
}
