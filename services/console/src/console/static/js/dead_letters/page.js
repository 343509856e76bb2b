// The pages of dead letters: what they show follows the last look at the queue, and replays are watched while they run.

import { call, get, post, sayError, withButton } from "../api.js";
import { localMoments } from "../moments.js";
import { showAges } from "./ages.js";
import { showLook } from "./look_line.js";
import { openReplayDialog } from "./replay_dialog.js";
import { RunPanels } from "./run_panel.js";
import { Selection } from "./selection.js";
import { watch } from "./watch.js";

const AGES_MS = 10_000;

const part = document.getElementById("part");
const selection = new Selection(part, part?.dataset.channel);
const panels = new RunPanels({ onEnded: (channel) => lookAgain(channel).catch(() => {}) });
let refreshing = false;

const lookAgain = (channel) => post(`/admin/dlq/${encodeURIComponent(channel)}/look`).then(() => feed.soon());

/** Takes over what the last look found. */
async function refresh() {
  if (!part || refreshing || document.querySelector("dialog[open]")) return;
  refreshing = true;
  try {
    const url = new URL(location.href);
    url.searchParams.set("part", "1");
    const answer = await fetch(url, { credentials: "same-origin", headers: { Accept: "text/html" } });
    if (!answer.ok) return;
    const focused = keepFocus();
    part.replaceChildren(document.createRange().createContextualFragment(await answer.text()));
    settle();
    focused();
  } catch {
    // the next turn tries again
  } finally {
    refreshing = false;
  }
}

/** Remembers what has the focus, and gives what puts it back there after the part was exchanged. */
function keepFocus() {
  const active = document.activeElement;
  if (!part.contains(active)) return () => {};
  const all = () => [...part.querySelectorAll("a, button, input")];
  const [index, id, start] = [all().indexOf(active), active.id, active.selectionStart];
  const value = active.type === "search" ? active.value : null;
  return () => {
    const again = (id && document.getElementById(id)) || all()[index];
    again?.focus({ preventScroll: true });
    if (value !== null && again?.type === "search") {
      again.value = value;
      again.setSelectionRange(start, start);
    }
  };
}

/** Makes fresh contents behave. */
function settle() {
  localMoments(part ?? document);
  showAges();
  selection.restore();
  panels.restore();
}

function show(state) {
  panels.show(state);
  let changed = false;
  for (const channel of state.channels) {
    for (const line of document.querySelectorAll(`.dl-look[data-channel="${CSS.escape(channel.channel)}"]`)) {
      changed ||= Boolean(channel.look.id) && line.dataset.look !== channel.look.id && !channel.look.looking;
      showLook(line, channel);
    }
  }
  if (changed) refresh();
}

const feed = watch(() => get("/admin/dlq"), show);

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.id === "look-all") {
    const channels = [...document.querySelectorAll(".dl-look")].map((line) => line.dataset.channel);
    withButton(button, () => Promise.all(channels.map(lookAgain)));
  } else if (button.dataset.lookAgain) withButton(button, () => lookAgain(button.dataset.lookAgain));
  else if (button.dataset.replay) begin(button);
});

/** Asks how, and starts the replay. */
async function begin(button) {
  const channel = button.dataset.replay;
  const chosen = "selected" in button.dataset ? selection.asked() : { options: JSON.parse(button.dataset.options), which: button.dataset.which };
  const run = await openReplayDialog(channel, chosen).catch(sayError);
  if (!run) return;
  if ("selected" in button.dataset) selection.clear();
  panels.follow(run);
  feed.soon();
}

document.addEventListener("stop-run", async (event) => {
  const { channel, id } = event.detail;
  await call("DELETE", `/admin/dlq/${encodeURIComponent(channel)}/replay/${encodeURIComponent(id)}`).catch(sayError);
  feed.soon();
});

setInterval(() => document.hidden || showAges(), AGES_MS);
settle();
