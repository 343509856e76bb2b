// The simulator's page: a player, its picture, numbers and charts, and everything that can be pressed.

import { Charts } from "./simulator/charts.js";
import { Controls } from "./simulator/controls.js";
import { Letters } from "./simulator/letters.js";
import { Numbers, seconds } from "./simulator/numbers.js";
import { Player } from "./simulator/player.js";
import { Stage } from "./simulator/stage.js";
import { icon } from "./icons.js";
import { word } from "./words.js";

const $ = (selector) => document.querySelector(selector);
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const STILL_MS = 1000; // between two pictures where motion is to be reduced
const SAID_MS = 5000; // between two descriptions for screen readers

const stage = new Stage($("#stage"));
const numbers = new Numbers();
const charts = new Charts();
const letters = new Letters($("#letters"));
const controls = new Controls($("#controls"), (values) => {
  follow(values);
  player.steer(values);
});
const player = new Player({ onBegin: begun, onSteps: (steps) => stage.flights.add(steps), onLetters: (found) => letters.show(found), onControls: moved, onPlaying: shown, controls: () => controls.read() });
let chosen = $('.lesson-preset[aria-pressed="true"]').dataset.preset;
let pressed = 0; // for which preset the last begin was

function follow(values) {
  stage.settings = { highWater: values.high_water, backPressure: values.back_pressure };
}

function begun({ id, controls: values }) {
  stage.flights.clear();
  charts.clear();
  letters.show([]);
  moved(values);
  numbers.show(player.frames[0], { always: true });
  $("#sim").dataset.run = id; // from here on the page shows this one
}

function moved(values) {
  controls.fill(values);
  follow(values);
}

function shown(playing) {
  const button = $("#play");
  button.setAttribute("aria-pressed", String(playing));
  button.replaceChildren(icon(playing ? "pause" : "play"), Object.assign(document.createElement("span"), { textContent: word(playing ? "pause" : "play") }));
}

const seed = () => Math.min(2 ** 32 - 1, Math.max(0, Math.floor(Number($("#seed").value) || 0)));

async function choose(name) {
  chosen = name;
  const mine = (pressed += 1);
  for (const button of document.querySelectorAll(".lesson-preset")) button.setAttribute("aria-pressed", String(button.dataset.preset === name));
  for (const article of document.querySelectorAll("[data-watch]")) article.hidden = article.dataset.watch !== name;
  const address = new URL(location.href);
  address.searchParams.set("preset", name);
  history.replaceState(null, "", address);
  if ($("#to-wall")) $("#to-wall").search = `?wall=1&preset=${name}`;
  $(`[data-preset="${name}"]`).scrollIntoView({ block: "nearest", inline: "nearest" });
  await player.begin({ preset: name, seed: seed() });
  if (mine === pressed) player.play(Boolean(player.begun));
}

// With what the switches say now; a preset that nobody has touched plays its cues again.
const begin = () => player.begin({ ...(player.touched ? { controls: controls.read() } : { preset: chosen }), seed: seed() });

async function again() {
  const playing = player.playing;
  await begin();
  player.play(playing && Boolean(player.begun));
}

function act(action) {
  player.act(action);
  charts.mark(player.head, word(action));
}

async function toggle() {
  if (!player.begun) await begin();
  player.play(Boolean(player.begun) && !player.playing);
}

$("#play").addEventListener("click", toggle);
$("#step").addEventListener("click", () => player.step());
$("#reset").addEventListener("click", again);
$("#seed").addEventListener("change", again);
$("#spike").addEventListener("click", () => act("spike"));
$("#poison").addEventListener("click", () => act("poison"));
$("#speed").addEventListener("input", (event) => {
  player.speed = Number(event.target.value);
  $("#speed-shown").textContent = `${player.speed}×`;
});
for (const button of document.querySelectorAll(".lesson-preset")) button.addEventListener("click", () => choose(button.dataset.preset));

const KEYS = { " ": toggle, ArrowRight: () => player.step(), s: () => act("spike"), p: () => act("poison"), r: again };
$("#picture").addEventListener("keydown", (event) => {
  const press = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!press || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  press();
});

let last = performance.now();
let drawnAt = 0;
let saidAt = 0;

function draw(time) {
  requestAnimationFrame(draw); // first of all: one picture that fails must not be the last
  const moment = player.tick((time - last) / 1000);
  last = time;
  if (moment) {
    numbers.show(moment.now, { now: time, always: !player.playing });
    charts.add(moment.now, stage.settings);
    charts.draw(time);
    if (!calm.matches) stage.draw(moment, player.head, player.speed);
    else if (time - drawnAt > STILL_MS || !player.playing) {
      drawnAt = time;
      stage.draw(moment, player.head, player.speed, { still: true });
    }
    clock(player.head);
    describe(moment.now, time);
  }
}

function clock(head) {
  const whole = Math.floor(head);
  const said = `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}.${Math.floor((head % 1) * 10)}`;
  if ($("#clock").textContent !== said) $("#clock").textContent = said;
}

function describe(frame, time) {
  if (time - saidAt < SAID_MS) return;
  saidAt = time;
  const values = { depth: frame.depth, lag: seconds(frame.lag_s), running: frame.running, poison: frame.busy_on_poison, back_off: frame.back_off, dead: frame.dead, dropped: frame.dropped };
  $("#stage").setAttribute("aria-label", word("picture", values));
}

addEventListener("pagehide", () => player.leave());
choose(chosen);
requestAnimationFrame(draw);
