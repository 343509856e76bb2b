// Letters chosen one by one. They are remembered by the event's id, so the choice outlives paging and a new look.

import { toast } from "../toasts.js";
import { number, word } from "../words.js";

const MOST = 500;

export class Selection {
  constructor(part, channel) {
    this.part = part;
    this.channel = channel;
    this.chosen = new Set(this.#stored());
    part?.addEventListener("change", (event) => this.#changed(event.target));
    part?.addEventListener("click", (event) => event.target.closest("[data-clear]") && this.clear());
  }

  /** What a replay of the chosen letters is asked for with. */
  asked() {
    const which = word("dl_selected_which", { count: number(this.chosen.size), channel: this.channel });
    return { options: { eventIds: [...this.chosen] }, which };
  }

  clear() {
    this.chosen.clear();
    this.restore();
  }

  /** Ticks the boxes of what is chosen, after the list was exchanged. */
  restore() {
    if (!this.channel) return;
    const boxes = this.#boxes();
    for (const box of boxes) {
      box.checked = this.chosen.has(box.dataset.select);
      box.closest("tr").classList.toggle("chosen", box.checked);
    }
    const all = this.part.querySelector("[data-select-page]");
    if (all) {
      const ticked = boxes.filter((box) => box.checked).length;
      all.checked = ticked > 0 && ticked === boxes.length;
      all.indeterminate = ticked > 0 && ticked < boxes.length;
    }
    this.#showCount();
    this.#store();
  }

  #changed(box) {
    if ("selectPage" in box.dataset) for (const each of this.#boxes()) this.#put(each.dataset.select, box.checked);
    else if (box.dataset.select) this.#put(box.dataset.select, box.checked);
    else return;
    if (this.chosen.size > MOST) {
      for (const id of [...this.chosen].slice(MOST)) this.chosen.delete(id);
      toast(word("dl_too_many", { count: number(MOST) }), "warn");
    }
    this.restore();
  }

  #put(id, chosen) {
    if (chosen) this.chosen.add(id);
    else this.chosen.delete(id);
  }

  #boxes() {
    return [...this.part.querySelectorAll("input[data-select]")];
  }

  #showCount() {
    const button = this.part.querySelector("[data-selected]");
    if (!button) return;
    button.hidden = this.part.querySelector("[data-clear]").hidden = this.chosen.size === 0;
    button.querySelector("span").textContent = word("dl_selected", { count: number(this.chosen.size) });
  }

  #stored() {
    try {
      return this.channel ? JSON.parse(sessionStorage.getItem(`dead-letters ${this.channel}`)) ?? [] : [];
    } catch {
      return [];
    }
  }

  #store() {
    sessionStorage.setItem(`dead-letters ${this.channel}`, JSON.stringify([...this.chosen]));
  }
}
