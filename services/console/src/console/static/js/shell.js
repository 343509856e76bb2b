// What every page does: the switches for theme and language, and menus that close.

import { localMoments } from "./moments.js";

localMoments();

const preferences = document.querySelector('#preferences form[action$="/preferences"]');

preferences?.addEventListener("submit", (event) => {
  const theme = event.submitter?.name === "theme" ? event.submitter.value : null;
  if (!theme) return;
  event.preventDefault(); // at once; the server hears of it for the next page
  document.documentElement.dataset.theme = theme;
  for (const button of preferences.querySelectorAll('[name="theme"]')) {
    button.setAttribute("aria-pressed", String(button.value === theme));
  }
  fetch(preferences.action, { method: "POST", body: new FormData(preferences, event.submitter), redirect: "manual" });
});

for (const menu of document.querySelectorAll("details.menu")) {
  document.addEventListener("click", (event) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}
