// The player's controls: playing, seeking with previews, sound, renditions, subtitles, keys.

import { word } from "../words.js";
import { cueAt, readStoryboard } from "./storyboard.js";
import { openStream } from "./stream.js";

const STEP_S = 5;
const LEAP_S = 10;
const STATES = ["play", "pause", "ended", "volumechange", "timeupdate", "durationchange", "progress", "seeking"];

function clock(time) {
  const whole = Math.floor(Number.isFinite(time) ? time : 0);
  const pad = (part) => String(part).padStart(2, "0");
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return hours ? `${hours}:${pad(minutes)}:${pad(rest)}` : `${minutes}:${pad(rest)}`;
}

function fill(select, options, chosen) {
  select.replaceChildren(...options.map(([value, text]) => new Option(text, value, false, String(value) === String(chosen))));
}

export class Player {
  #root;
  #video;
  #stream = null;
  #cues = [];
  #storyboard = null;
  #dragging = false;
  #lastTrack = 0;

  constructor(root) {
    this.#root = root;
    this.#video = this.#part("video");
    root.hidden = false;
    this.#wireButtons();
    this.#wireSeeking();
    document.addEventListener("keydown", (event) => this.#key(event));
    this.#showState();
  }

  #part(id) {
    return this.#root.querySelector(`#${id}`);
  }

  /** Plays the stream at this address; another one goes on where the last one was. */
  async load(url) {
    const { currentTime, paused } = this.#video;
    this.#stream?.close();
    this.#part("player-problem").hidden = true;
    this.#stream = await openStream(this.#video, url, {
      startAt: currentTime,
      onLevels: (levels) => this.#offerLevels(levels),
      onTracks: (tracks, shown) => this.#offerTracks(tracks, shown),
      onProblem: (reason) => this.#showProblem(reason),
    });
    if (currentTime) this.#video.currentTime = currentTime;
    if (!paused) this.#video.play();
  }

  /** Takes the poster, and the pictures over the seek bar. */
  async preview(storyboard, poster) {
    if (poster && this.#video.getAttribute("poster") !== poster) this.#video.poster = poster;
    if (!storyboard || storyboard === this.#storyboard) return;
    this.#storyboard = storyboard;
    this.#cues = await readStoryboard(storyboard).catch(() => []);
  }

  #offerLevels(levels) {
    this.#part("quality-choice").hidden = levels.length < 2;
    fill(this.#part("quality"), [[-1, word("auto")], ...levels], -1);
    this.#part("quality").onchange = (event) => this.#stream.chooseLevel(Number(event.target.value));
  }

  #offerTracks(tracks, shown) {
    this.#part("captions-choice").hidden = tracks.length === 0;
    fill(this.#part("captions"), [[-1, word("off")], ...tracks], shown);
    this.#part("captions").onchange = (event) => this.#stream.chooseTrack(Number(event.target.value));
    if (shown >= 0) this.#lastTrack = shown;
  }

  #showProblem(reason) {
    const place = this.#part("player-problem");
    place.textContent = word("cant_play", { reason });
    place.hidden = false;
  }

  #wireButtons() {
    const video = this.#video;
    this.#part("play").onclick = () => this.#toggle();
    for (const id of ["big-play", "video"]) {
      this.#part(id).addEventListener("click", () => {
        this.#toggle();
        this.#root.focus({ preventScroll: true }); // the keys are the player's now
      });
    }
    this.#part("mute").onclick = () => {
      video.muted = !video.muted;
    };
    this.#part("volume").oninput = (event) => this.#setVolume(Number(event.target.value));
    this.#part("full").onclick = () => this.#fullScreen();
    for (const event of STATES) video.addEventListener(event, () => this.#showState());
  }

  #wireSeeking() {
    const seek = this.#part("seek");
    const share = (event) => {
      const box = seek.getBoundingClientRect();
      return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    };
    seek.oninput = () => {
      this.#dragging = true;
      this.#video.currentTime = (Number(seek.value) / 1000) * (this.#video.duration || 0);
      this.#showPreview(Number(seek.value) / 1000);
    };
    seek.onchange = () => {
      this.#dragging = false;
    };
    seek.onpointermove = (event) => this.#showPreview(share(event));
    for (const end of ["pointerleave", "blur"]) {
      seek.addEventListener(end, () => {
        this.#part("preview").hidden = true;
      });
    }
  }

  #key(event) {
    const video = this.#video;
    const seek = (seconds) => (video.currentTime = Math.max(0, video.currentTime + seconds));
    const actions = {
      k: () => this.#toggle(),
      " ": () => this.#toggle(),
      m: () => (video.muted = !video.muted),
      f: () => this.#fullScreen(),
      c: () => this.#switchCaptions(),
      ArrowLeft: () => seek(-STEP_S),
      ArrowRight: () => seek(STEP_S),
      j: () => seek(-LEAP_S),
      l: () => seek(LEAP_S),
      ArrowUp: () => this.#setVolume(video.volume + 0.1),
      ArrowDown: () => this.#setVolume(video.volume - 0.1),
      Home: () => (video.currentTime = 0),
      End: () => (video.currentTime = video.duration || 0),
    };
    const elsewhere = event.target.closest("select, input, button, a, summary, textarea, dialog");
    // The page scrolls by these keys too, unless the player is what is being used.
    const scrolls = /^(Arrow(Up|Down)|Home|End)$/.test(event.key) && !this.#root.contains(document.activeElement);
    if (elsewhere || scrolls || event.ctrlKey || event.metaKey || event.altKey || !(event.key in actions)) return;
    event.preventDefault();
    actions[event.key]();
  }

  #switchCaptions() {
    const shown = Number(this.#part("captions").value);
    if (!this.#part("captions-choice").hidden) this.#stream.chooseTrack(shown >= 0 ? -1 : this.#lastTrack);
  }

  #setVolume(volume) {
    this.#video.muted = false;
    this.#video.volume = Math.min(1, Math.max(0, volume));
  }

  #toggle() {
    if (this.#video.paused) this.#video.play();
    else this.#video.pause();
  }

  #fullScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else if (this.#root.requestFullscreen) this.#root.requestFullscreen();
    else this.#video.webkitEnterFullscreen?.();
  }

  #showPreview(share) {
    const time = share * (this.#video.duration || 0);
    const cue = cueAt(this.#cues, time);
    const preview = this.#part("preview");
    const picture = this.#part("picture");
    preview.hidden = !this.#video.duration;
    this.#part("preview-time").textContent = clock(time);
    picture.hidden = !cue;
    if (cue) {
      picture.style.width = `${cue.width}px`;
      picture.style.height = `${cue.height}px`;
      picture.style.backgroundImage = `url("${cue.sheet}")`;
      picture.style.backgroundPosition = `-${cue.x}px -${cue.y}px`;
    }
    const room = preview.parentElement.clientWidth;
    const half = preview.offsetWidth / 2;
    preview.style.left = `${Math.min(room - half, Math.max(half, share * room))}px`;
  }

  #showState() {
    const { paused, currentTime, duration, muted, volume, buffered } = this.#video;
    const silent = muted || volume === 0;
    this.#root.classList.toggle("playing", !paused);
    if (!paused || currentTime > 0) this.#root.classList.add("started");
    this.#root.classList.toggle("muted", silent);
    this.#part("now").textContent = clock(currentTime);
    this.#part("length").textContent = clock(duration);
    this.#part("volume").value = silent ? 0 : volume;
    this.#part("volume").style.setProperty("--done", `${silent ? 0 : volume * 100}%`);
    const seek = this.#part("seek");
    const done = duration ? currentTime / duration : 0;
    const ahead = duration && buffered.length ? buffered.end(buffered.length - 1) / duration : 0;
    if (!this.#dragging) seek.value = done * 1000;
    seek.style.setProperty("--done", `${done * 100}%`);
    seek.style.setProperty("--ahead", `${Math.max(done, ahead) * 100}%`);
    seek.setAttribute("aria-valuetext", word("position", { now: clock(currentTime), length: clock(duration) }));
  }
}
