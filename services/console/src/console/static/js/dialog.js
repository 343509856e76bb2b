// A question before something is done: it says what will happen.

import { word } from "./words.js";

/**
 * Asks, and gives the answers by name, or null when it was called off.
 *   title    what is about to happen
 *   text     what it will do, one sentence or an array of them
 *   action   what the button says
 *   danger   whether it can't be taken back
 *   fields   [{ name, label, type, value, min, max, step, note, required }] asked for meanwhile
 */
export function ask({ title, text = [], action, danger = false, fields = [] }) {
  const dialog = document.createElement("dialog");
  dialog.className = "dialog";
  const form = document.createElement("form");
  form.method = "dialog";
  const heading = document.createElement("h2");
  heading.id = "dialog-title";
  heading.textContent = title;
  dialog.setAttribute("aria-labelledby", heading.id);
  form.append(heading, ...[text].flat().map(paragraph), ...fields.map(fieldRow), buttons(dialog, action, danger));
  dialog.append(form);
  document.body.append(dialog);
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      const agreed = dialog.returnValue === "yes";
      const answers = agreed ? Object.fromEntries(new FormData(form)) : null;
      dialog.remove();
      resolve(answers);
    });
    dialog.showModal();
    (form.querySelector("input, select") ?? form.querySelector("[data-first]")).focus();
  });
}

function paragraph(text) {
  const line = document.createElement("p");
  line.className = "soft";
  line.textContent = text;
  return line;
}

function fieldRow({ name, label, type = "number", value = "", note = "", ...rest }) {
  const row = document.createElement("div");
  row.className = "field";
  const title = document.createElement("label");
  title.textContent = label;
  title.htmlFor = `dialog-${name}`;
  const input = document.createElement("input");
  Object.assign(input, { id: title.htmlFor, className: "input", name, type, value });
  for (const [key, given] of Object.entries(rest)) {
    if (typeof given === "boolean") input.toggleAttribute(key, given);
    else input.setAttribute(key, given);
  }
  row.append(title, input);
  if (note) {
    const small = document.createElement("p");
    small.className = "field-note";
    small.id = `${title.htmlFor}-note`;
    small.textContent = note;
    input.setAttribute("aria-describedby", small.id);
    row.append(small);
  }
  return row;
}

function buttons(dialog, action, danger) {
  const row = document.createElement("div");
  row.className = "dialog-actions";
  const cancel = document.createElement("button");
  Object.assign(cancel, { type: "button", className: "button", textContent: word("cancel") });
  cancel.addEventListener("click", () => dialog.close("no"));
  const agree = document.createElement("button");
  Object.assign(agree, { type: "submit", value: "yes", className: danger ? "button danger" : "button primary", textContent: action });
  (danger ? cancel : agree).dataset.first = "";
  row.append(cancel, agree);
  return row;
}
