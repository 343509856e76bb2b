// A video player: HLS by hls.js or by the browser itself, with subtitles, quality, and previews over the seek bar.
import { cueAt, readStoryboard } from "./storyboard.js";

const HLS_TYPE = "application/vnd.apple.mpegurl";
const HLS_LIBRARY = "./vendor/hls-1.7.4.min.mjs";
const STEP_S = 5;

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
  #hls = null;
  #cues = [];
  #storyboard = null;
  #dragging = false;

  constructor(root) {
    this.#root = root;
    this.#video = this.#part("video");
    root.hidden = false;
    this.#wireButtons();
    this.#wireSeeking();
    this.#wireKeys();
    this.#showState();
  }

  #part(id) {
    return this.#root.querySelector(`#${id}`);
  }

  async load(url) {
    const { currentTime, paused } = this.#video;
    this.#hls?.destroy();
    this.#hls = null;
    // Safari plays HLS best by itself; elsewhere the library knows more of it than the browser.
    if (this.#video.canPlayType(HLS_TYPE) && /apple/i.test(navigator.vendor)) {
      this.#video.src = url;
      this.#video.addEventListener("loadedmetadata", () => this.#offerNativeCaptions(), { once: true });
    } else {
      await this.#loadWithLibrary(url, currentTime);
    }
    if (currentTime) this.#video.currentTime = currentTime;
    if (!paused) this.#video.play();
  }

  async #loadWithLibrary(url, startPosition) {
    const { default: Hls } = await import(HLS_LIBRARY);
    // Its worker would need a script from a blob: address, which this page's policy forbids; fMP4 hardly needs one.
    const hls = new Hls({ enableWorker: false, startPosition: startPosition || -1, capLevelToPlayerSize: true });
    this.#hls = hls;
    hls.on(Hls.Events.MANIFEST_PARSED, () => this.#offerQuality(hls));
    hls.on(Hls.Events.SUBTITLE_TRACKS_UPDATED, () => this.#offerCaptions(hls));
    hls.on(Hls.Events.SUBTITLE_TRACK_SWITCH, (_, { id }) => {
      this.#part("captions").value = id;
    });
    hls.on(Hls.Events.ERROR, (_, problem) => {
      if (problem.fatal && problem.type === Hls.ErrorTypes.MEDIA_ERROR) hls.recoverMediaError();
    });
    hls.loadSource(url);
    hls.attachMedia(this.#video);
  }

  async preview(storyboard, poster) {
    if (poster && this.#video.getAttribute("poster") !== poster) this.#video.poster = poster;
    if (!storyboard || storyboard === this.#storyboard) return;
    this.#storyboard = storyboard;
    this.#cues = await readStoryboard(storyboard).catch(() => []);
  }

  #offerQuality(hls) {
    const levels = hls.levels.map((level, index) => [index, `${Math.min(level.width, level.height)}p`]);
    this.#part("quality-choice").hidden = levels.length < 2;
    fill(this.#part("quality"), [[-1, "Auto"], ...levels.reverse()], -1);
    this.#part("quality").onchange = (event) => {
      hls.nextLevel = Number(event.target.value);
    };
  }

  #offerCaptions(hls) {
    const tracks = hls.subtitleTracks.map((track, index) => [index, track.name]);
    this.#part("captions-choice").hidden = tracks.length === 0;
    fill(this.#part("captions"), [[-1, "Off"], ...tracks], hls.subtitleTrack);
    this.#part("captions").onchange = (event) => {
      hls.subtitleTrack = Number(event.target.value);
      hls.subtitleDisplay = true;
    };
  }

  #offerNativeCaptions() {
    const tracks = [...this.#video.textTracks].filter((track) => track.kind === "subtitles");
    this.#part("captions-choice").hidden = tracks.length === 0;
    const showing = tracks.findIndex((track) => track.mode === "showing");
    fill(this.#part("captions"), [[-1, "Off"], ...tracks.map((track, index) => [index, track.label])], showing);
    this.#part("captions").onchange = (event) => {
      tracks.forEach((track, index) => {
        track.mode = index === Number(event.target.value) ? "showing" : "disabled";
      });
    };
  }

  #wireButtons() {
    const video = this.#video;
    this.#part("play").onclick = () => this.#toggle();
    this.#part("big-play").onclick = () => this.#toggle();
    video.onclick = () => this.#toggle();
    this.#part("mute").onclick = () => {
      video.muted = !video.muted;
    };
    this.#part("volume").oninput = (event) => {
      video.muted = false;
      video.volume = Number(event.target.value);
    };
    this.#part("full").onclick = () => this.#fullScreen();
    for (const event of ["play", "pause", "ended", "volumechange", "timeupdate", "durationchange", "progress"]) {
      video.addEventListener(event, () => this.#showState());
    }
  }

  #wireSeeking() {
    const seek = this.#part("seek");
    const timeOf = (event) => {
      const box = seek.getBoundingClientRect();
      const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
      return [share, share * (this.#video.duration || 0)];
    };
    seek.oninput = () => {
      this.#dragging = true;
      this.#video.currentTime = (Number(seek.value) / 1000) * (this.#video.duration || 0);
    };
    seek.onchange = () => {
      this.#dragging = false;
    };
    seek.onpointermove = (event) => this.#showPreview(...timeOf(event));
    seek.onpointerleave = () => {
      this.#part("preview").hidden = true;
    };
  }

  #wireKeys() {
    const video = this.#video;
    const actions = {
      k: () => this.#toggle(),
      " ": () => this.#toggle(),
      m: () => this.#part("mute").click(),
      f: () => this.#fullScreen(),
      ArrowLeft: () => (video.currentTime -= STEP_S),
      ArrowRight: () => (video.currentTime += STEP_S),
    };
    document.addEventListener("keydown", (event) => {
      const typing = event.target.closest("select, input, button, a, summary");
      if (typing || event.ctrlKey || event.metaKey || event.altKey || !(event.key in actions)) return;
      event.preventDefault();
      actions[event.key]();
    });
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

  #showPreview(share, time) {
    const cue = this.#cues.length ? cueAt(this.#cues, time) : null;
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
    this.#root.classList.toggle("playing", !paused);
    this.#root.classList.toggle("started", !paused || currentTime > 0);
    this.#root.classList.toggle("muted", muted || volume === 0);
    this.#part("now").textContent = clock(currentTime);
    this.#part("length").textContent = clock(duration);
    this.#part("volume").value = muted ? 0 : volume;
    this.#part("volume").style.setProperty("--done", `${muted ? 0 : volume * 100}%`);
    const seek = this.#part("seek");
    const done = duration ? currentTime / duration : 0;
    const ahead = duration && buffered.length ? buffered.end(buffered.length - 1) / duration : 0;
    if (!this.#dragging) seek.value = done * 1000;
    seek.style.setProperty("--done", `${done * 100}%`);
    seek.style.setProperty("--ahead", `${ahead * 100}%`);
    seek.setAttribute("aria-valuetext", `${clock(currentTime)} of ${clock(duration)}`);
  }
}
