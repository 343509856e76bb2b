// One file on its way: sent, sent again after a wait under the same key, done, failed or called off.

import { changeHeaders } from "../api.js";
import { word } from "../words.js";
import { forget, keyOf } from "./upload_keys.js";
import { nextStep } from "./upload_rules.js";

const RATE_AFTER_MS = 1500;

/** A problem's kind is the last part of its type. */
const kindOf = (answer) => String(answer.type ?? "").split(":").at(-1);

export class UploadJob {
  #file;
  #owner;
  #row;
  #request = null;
  #timer = 0;
  #tries = 0;
  #ended;
  #told;

  /** `told` is called with "done", "failed" or "canceled" once, and the asset's id when done. */
  constructor(file, owner, row, told) {
    this.#file = file;
    this.#owner = owner;
    this.#row = row;
    this.#told = told;
    this.#ended = false;
    row.show("queued", word("upload_waiting"), [this.#cancelAction()]);
    addEventListener("online", () => this.#timer && this.start());
  }

  get active() {
    return !this.#ended;
  }

  start() {
    clearInterval(this.#timer);
    this.#timer = 0;
    if (this.#ended) return;
    this.started = true;
    const request = (this.#request = new XMLHttpRequest());
    const query = new URLSearchParams({ filename: this.#file.name });
    if (this.#owner) query.set("ownerId", this.#owner);
    request.open("POST", `/uploads?${query}`);
    const headers = { ...changeHeaders(), "Idempotency-Key": keyOf(this.#file, this.#owner), "Content-Type": this.#type() };
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    const began = performance.now();
    this.#row.show("sending", "", [this.#cancelAction()]);
    this.#row.progress(0, this.#file.size, null);
    request.upload.addEventListener("progress", ({ loaded }) => {
      const ms = performance.now() - began;
      this.#row.progress(loaded, this.#file.size, ms > RATE_AFTER_MS ? (loaded * 1000) / ms : null);
    });
    request.addEventListener("load", () => this.#answered(request));
    request.addEventListener("error", () => this.#decide({ status: 0 }));
    request.send(this.#file);
  }

  cancel() {
    if (this.#ended) return;
    clearInterval(this.#timer);
    this.#request?.abort();
    this.#end("canceled", word("upload_canceled"), [this.#againAction(), this.#removeAction()]);
  }

  #type() {
    return /^(video|audio)\//.test(this.#file.type) ? this.#file.type : "application/octet-stream";
  }

  #answered(request) {
    let answer = {};
    try {
      answer = JSON.parse(request.responseText);
    } catch {
      // a proxy's page, perhaps; its status says enough
    }
    const retryAfter = Number(request.getResponseHeader("Retry-After")) || null;
    this.#decide({ status: request.status, retryAfter, detail: answer.detail, kind: kindOf(answer), assetId: answer.assetId });
  }

  #decide({ assetId, ...answer }) {
    this.#tries += 1;
    const step = nextStep({ ...answer, tries: this.#tries });
    if (step.kind === "done") {
      forget(this.#file, this.#owner);
      this.#row.progress(this.#file.size, this.#file.size, null);
      const watch = [word("upload_watch"), `/assets/${encodeURIComponent(assetId)}`];
      this.#end("done", word("upload_done"), [watch, this.#removeAction()], assetId);
    } else if (step.kind === "wait") this.#wait(step);
    else {
      const said = step.why ? word(`upload_${step.why}`) : step.detail || word("upload_unavailable");
      this.#end("failed", step.why === "not_media" && step.detail ? step.detail : said, [this.#againAction(), this.#removeAction()]);
    }
  }

  #wait({ seconds, why }) {
    const reason = word({ full: "upload_full", unavailable: "upload_unavailable", lost: "upload_lost" }[why]);
    let left = Math.ceil(seconds);
    this.#row.show("waiting", "", [[word("upload_now"), () => this.start()], this.#cancelAction()]);
    this.#row.countdown(left, reason);
    this.#told("waiting", null, word("upload_again", { reason, seconds: left }));
    this.#timer = setInterval(() => {
      left -= 1;
      if (left <= 0) this.start();
      else this.#row.countdown(left, reason);
    }, 1000);
  }

  #end(state, said, actions, assetId = null) {
    this.#ended = true;
    this.#row.show(state, said, actions);
    this.#told(state, assetId, said);
  }

  #cancelAction() {
    return [word("upload_cancel"), () => this.cancel(), word("upload_cancel_of", { name: this.#file.name })];
  }

  #againAction() {
    const again = () => {
      this.#ended = false;
      this.#tries = 0;
      this.start();
    };
    return [word("upload_retry"), again];
  }

  #removeAction() {
    return ["close", () => this.#row.remove(), `${word("upload_remove")}: ${this.#file.name}`];
  }
}
