// The list of assets: searched while one types, live while something runs, longer by a button.

import { localMoments } from "../moments.js";
import { toast } from "../toasts.js";
import { word } from "../words.js";

const FRESHEN_MS = 1500;
const NEW_MS = 15000;
const TYPING_MS = 350;
const MOST_IDS = 100;

document.documentElement.classList.add("js");
const form = document.getElementById("search");
const found = () => document.getElementById("found");
const cards = () => document.getElementById("cards");
let asked = 0;

async function page(address) {
  const answer = await fetch(address, { headers: { Accept: "text/html" } });
  if (answer.redirected) location.assign(answer.url); // the session has ended: to the login
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

/** The address of what the form asks for. */
function wanted() {
  const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value.trim()));
  return query.size ? `/assets?${query}` : "/assets";
}

async function show(address) {
  const mine = ++asked;
  found().setAttribute("aria-busy", "true");
  try {
    const newer = (await page(address)).getElementById("found");
    if (mine !== asked || !newer) return;
    found().replaceWith(newer);
    localMoments(newer);
  } catch {
    if (mine === asked) toast(word("not_fresh"), "warn");
  } finally {
    if (mine === asked) found().setAttribute("aria-busy", "false");
  }
}

async function showMore(link) {
  if (link.getAttribute("aria-busy") === "true") return;
  link.setAttribute("aria-busy", "true");
  try {
    const newer = await page(link.href);
    const before = cards().childElementCount;
    for (const card of [...(newer.getElementById("cards")?.children ?? [])]) {
      if (!document.getElementById(card.id)) cards().append(card);
    }
    document.getElementById("more-place").replaceWith(newer.getElementById("more-place"));
    localMoments(found());
    (cards().children[before]?.querySelector("a") ?? document.getElementById("more"))?.focus();
    if (cards().childElementCount) found().querySelector(".empty")?.remove();
  } catch {
    link.setAttribute("aria-busy", "false");
    toast(word("not_fresh"), "warn");
  }
}

function swap(newer) {
  const older = document.getElementById(newer.id);
  if (!older || older.outerHTML === newer.outerHTML) return;
  // A picture that is there already must not blink.
  const [was, is] = [older.querySelector("img"), newer.querySelector("img")];
  if (was && is && was.getAttribute("src") === is.getAttribute("src")) is.replaceWith(was);
  const focused = older.contains(document.activeElement);
  older.replaceWith(newer);
  if (focused) newer.querySelector("a").focus();
}

async function freshen() {
  const running = [...(cards()?.children ?? [])].filter((card) => !("ended" in card.dataset)).slice(0, MOST_IDS);
  if (!document.hidden && running.length) {
    try {
      const ids = running.map((card) => card.dataset.id).join(",");
      const newer = document.createElement("ul");
      newer.append(...(await page(`/asset-cards?ids=${encodeURIComponent(ids)}`)).querySelectorAll(".asset-card"));
      localMoments(newer);
      for (const card of [...newer.children]) swap(card);
    } catch {
      // Away for a moment; the next look will tell.
    }
  }
  setTimeout(freshen, FRESHEN_MS);
}

/** Puts what has come since in front. */
async function lookForNew() {
  if (document.hidden || found().getAttribute("aria-busy") === "true") return;
  const mine = asked;
  try {
    const newer = await page(wanted());
    if (mine !== asked) return;
    const fresh = [...(newer.getElementById("cards")?.children ?? [])];
    const added = fresh.filter((card) => !document.getElementById(card.id));
    if (!cards()?.childElementCount || added.length === fresh.length) {
      if (added.length) found().replaceWith(newer.getElementById("found"));
    } else {
      for (const card of added) card.classList.add("new");
      cards().prepend(...added);
    }
    localMoments(found());
  } catch {
    // Away for a moment.
  }
}

let typing = 0;
form.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => {
    history.replaceState(null, "", wanted());
    show(wanted());
  }, TYPING_MS);
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(typing);
  if (wanted() !== location.pathname + location.search) history.pushState(null, "", wanted());
  show(wanted());
});
addEventListener("popstate", () => {
  const query = new URLSearchParams(location.search);
  for (const name of ["q", "owner", "state"]) form.elements[name].value = query.get(name) ?? "";
  show(location.pathname + location.search);
});
document.addEventListener("click", (event) => {
  const link = event.target.closest("#more");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  showMore(link);
});
document.addEventListener("asset-uploaded", lookForNew);
document.addEventListener("visibilitychange", lookForNew);
setInterval(lookForNew, NEW_MS);
freshen();
