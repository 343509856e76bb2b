// The watch page: keeps the channels' states fresh, and starts the player once there is something to play.
import { Player } from "./player.js";

const FRESHEN_MS = 1000;
const ENDED = new Set(["done", "dead-lettered"]);

let player = null;
let shown = null;

function live() {
  return document.getElementById("live");
}

function play() {
  const { hls, poster, storyboard, subtitles } = live().dataset;
  if (!hls) return;
  player ??= new Player(document.getElementById("player"));
  player.preview(storyboard, poster);
  // Subtitles may come after the renditions: then the playlist has grown and is read again.
  const version = `${hls} ${subtitles}`;
  if (version !== shown) player.load(hls);
  shown = version;
}

async function freshen() {
  if (!document.hidden) {
    try {
      const answer = await fetch(location.pathname, { headers: { Accept: "text/html" } });
      if (answer.ok) replace(new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live"));
    } catch {
      // The service is away for a moment; the next look will tell.
    }
  }
  again();
}

function replace(newer) {
  if (!newer || newer.outerHTML === live().outerHTML) return;
  const open = live().querySelector("details[open]") !== null;
  live().replaceWith(newer);
  if (open) for (const details of newer.querySelectorAll("details")) details.open = true;
  play();
}

function again() {
  if (!ENDED.has(live().dataset.status)) setTimeout(freshen, FRESHEN_MS);
}

play();
again();
