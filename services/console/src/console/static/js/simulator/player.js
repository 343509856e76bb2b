// Plays a simulation that the console runs: asks for a little more than is shown, and gives the moment to be drawn.

import { ApiError, call, post, sayError } from "../api.js";
import { toast } from "../toasts.js";
import { word } from "../words.js";

const FRAME_S = 0.05; // real seconds between frames
const BATCH = 6; // frames in an answer
const AGAIN_MS = 500; // before a request that failed is made again
const MOST_MISSED = 20; // requests in a row, before playing stops
const LATELY_S = 10; // simulated seconds that a share "lately" is of
const AHEAD_S = 0.45; // real seconds that are known before they are shown

export class Player {
  /** `listen` hears onBegin(begun), onSteps(steps), onLetters(letters), onControls(controls), onPlaying(playing). */
  constructor(listen) {
    this.listen = listen;
    this.speed = 1;
    this.playing = false;
    this.begun = null;
    this.turn = 0;
    this.missed = 0;
    this.touched = false; // whether anybody moved a switch since the beginning
    this.frames = [];
    this.asked = null; // the run that an answer is awaited of
    this.answer = Promise.resolve();
    this.changes = { controls: null, actions: [] };
  }

  /** Begins anew: { preset } or { controls }, and { seed }. */
  async begin(what) {
    this.leave();
    const turn = (this.turn += 1);
    let begun;
    try {
      begun = await post("/simulator/runs", what);
    } catch (error) {
      this.play(false);
      sayError(error);
      return;
    }
    if (turn !== this.turn) return end(begun); // another one was begun meanwhile
    this.index = Object.fromEntries(begun.fields.map((name, place) => [name, place]));
    this.past = [];
    this.frames = [this.#read(begun.frame)];
    this.head = 0;
    this.begun = begun;
    this.seed = what.seed;
    this.touched = !what.preset;
    this.listen.onBegin(begun);
    return undefined;
  }

  /** Ends what is played. Answers to it are for nobody then, and it ends when the last of them is here. */
  leave() {
    const old = this.begun;
    this.begun = null;
    this.changes = { controls: null, actions: [] };
    if (old) this.answer.then(() => end(old));
  }

  play(playing) {
    this.playing = playing;
    this.listen.onPlaying(playing);
  }

  /** Goes on by one frame while it rests. */
  async step() {
    this.play(false);
    if (!this.begun || this.asked) return;
    await this.#go(0.1, 1);
    this.head = this.frames.at(-1).time_s;
  }

  /** Changes the controls from the next answer on. */
  steer(controls) {
    this.touched = true;
    this.changes.controls = controls;
    if (!this.playing && this.begun) this.step();
  }

  /** "spike" or "poison", from the next answer on. */
  act(action) {
    this.changes.actions.push(action);
    if (!this.playing && this.begun) this.play(true);
  }

  /** Goes on by so many real seconds; gives the moment to draw, or null before there is one. */
  tick(seconds) {
    if (!this.begun) return null;
    const last = this.frames.at(-1).time_s;
    if (this.playing) {
      this.head = Math.min(last, this.head + Math.min(seconds, 0.1) * this.speed);
      if (last - this.head < AHEAD_S * this.speed && !this.asked) this.#go(FRAME_S * BATCH * this.speed, BATCH);
    }
    while (this.frames.length > 2 && this.frames[1].time_s <= this.head) this.frames.shift();
    return this.#moment();
  }

  #moment() {
    const [now, next] = this.frames;
    if (!next || this.head <= now.time_s) return { now, next: now, between: 0 };
    if (this.head >= next.time_s) return { now: next, next, between: 0 };
    return { now, next, between: (this.head - now.time_s) / (next.time_s - now.time_s) };
  }

  #go(seconds, frames) {
    this.answer = this.#ask(seconds, frames);
    return this.answer;
  }

  async #ask(seconds, frames) {
    const run = this.begun;
    const body = { seconds, frames, ...(this.changes.controls && { controls: this.changes.controls }), actions: this.changes.actions };
    this.changes = { controls: null, actions: [] };
    this.asked = run;
    try {
      const answer = await post(`/simulator/runs/${run.id}/advance`, body);
      if (this.begun !== run) return;
      this.missed = 0;
      this.frames.push(...answer.frames.map((frame) => this.#read(frame)));
      this.listen.onSteps(answer.steps);
      this.listen.onLetters(answer.dead_letters);
      if (answer.controls) this.listen.onControls(answer.controls);
    } catch (error) {
      if (this.begun === run) await this.#failed(error, body);
    } finally {
      if (this.asked === run) this.asked = null;
    }
  }

  async #failed(error, body) {
    if (error instanceof ApiError && (error.status === 429 || error.status === 0 || error.status >= 500)) {
      // too early, or the console is away for a moment: what was asked for is asked for again
      this.changes = { controls: this.changes.controls ?? body.controls ?? null, actions: [...body.actions, ...this.changes.actions] };
      if (this.missed === 0 && error.status !== 429) toast(word("sim_slow"), "warn");
      if (error.status !== 429) this.missed += 1;
      if (this.missed <= MOST_MISSED) return new Promise((again) => setTimeout(again, AGAIN_MS));
    }
    if (error instanceof ApiError && error.status === 404) {
      toast(word("sim_ended"), "warn");
      return this.begin({ controls: body.controls ?? this.listen.controls(), seed: this.seed });
    }
    this.missed = 0;
    this.play(false);
    sayError(error);
    return undefined;
  }

  // The share of the consumers' time that went into poison in the last ten simulated seconds.
  #lately({ time_s, worker_s, poison_s }) {
    if (!this.past.length || time_s - this.past.at(-1).time_s >= 1) this.past.push({ time_s, worker_s, poison_s });
    while (this.past.length > 1 && time_s - this.past[0].time_s > LATELY_S) this.past.shift();
    const paid = worker_s - this.past[0].worker_s;
    return paid ? (poison_s - this.past[0].poison_s) / paid : 0;
  }

  #read([values, workers, marked]) {
    const frame = { workers, marked };
    for (const [name, place] of Object.entries(this.index)) frame[name] = values[place];
    frame.poison_time = this.#lately(frame);
    frame.used_share = frame.worker_s ? (frame.busy_s - frame.poison_s) / frame.worker_s : 0;
    frame.second_try = frame.second_tries ? frame.second_tries_done / frame.second_tries : null;
    return frame;
  }
}

const end = (run) => void call("DELETE", `/simulator/runs/${run.id}`, undefined, { keepalive: true }).catch(() => {});
