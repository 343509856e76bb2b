// The latest dead letters, as somebody who looks at them later finds them.

import { number, word } from "../words.js";

const at = (seconds) => `${Math.floor(seconds / 60)}:${(seconds % 60).toFixed(1).padStart(4, "0")}`;

export class Letters {
  constructor(panel) {
    this.panel = panel;
    this.body = panel.querySelector("tbody");
    this.shown = "";
  }

  /** Shows letters ([number, why, tries, sent at, given up at]), the latest first. */
  show(letters) {
    const known = JSON.stringify(letters);
    if (known === this.shown) return;
    this.shown = known;
    this.panel.hidden = letters.length === 0;
    this.body.replaceChildren(...letters.map(row).reverse());
  }
}

function row([name, why, tries, sent, died]) {
  const line = document.createElement("tr");
  const cells = [[`#${name}`, ""], [word(`dead_${why}`), ""], [number(tries), "number"], [at(sent), "number"], [at(died), "number"]];
  for (const [said, className] of cells) line.append(Object.assign(document.createElement("td"), { textContent: said, className }));
  return line;
}
