// An asset's page: keeps the channels' states fresh, and starts the player once there is something to play.

import { badge } from "../icons.js";
import { localMoments } from "../moments.js";
import { Player } from "./player.js";

const FRESHEN_MS = 1500;
// One that has ended can be put back into its queue by somebody.
const ENDED_MS = 15000;

let player = null;
let shown = null;

const live = () => document.getElementById("asset-live");

function play() {
  const { hls, poster, storyboard, version } = live().dataset;
  if (!hls) return;
  player ??= new Player(document.getElementById("player"));
  document.getElementById("player-wait").hidden = true;
  player.preview(storyboard, poster);
  // Subtitles may come after the renditions: then the playlist has grown and is read again.
  if (version !== shown) player.load(hls);
  shown = version;
}

function showWaiting() {
  const { poster } = live().dataset;
  const wait = document.getElementById("player-wait");
  if (!poster || wait.hidden || wait.querySelector("img")) return;
  const picture = new Image();
  picture.alt = "";
  picture.src = poster;
  wait.prepend(picture);
}

function take(newer) {
  const place = live();
  if (!newer || newer.outerHTML === place.outerHTML) return;
  const focused = place.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  place.replaceWith(newer);
  localMoments(newer);
  if (focused) newer.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
  document.getElementById("asset-badge").replaceChildren(badge(newer.dataset.badge, newer.dataset.word));
  showWaiting();
  play();
}

async function freshen() {
  if (!document.hidden) {
    try {
      const answer = await fetch(`${location.pathname}?part=live`, { headers: { Accept: "text/html" } });
      if (answer.ok && !answer.redirected) {
        take(new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("asset-live"));
      }
    } catch {
      // The console is away for a moment; the next look will tell.
    }
  }
  again();
}

function again() {
  const { ended, status } = live().dataset;
  if (ended === undefined) setTimeout(freshen, FRESHEN_MS);
  else if (status !== "done") setTimeout(freshen, ENDED_MS);
}

showWaiting();
play();
again();
