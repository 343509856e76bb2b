// The stream in a video element: HLS by hls.js, or by the browser itself, under one face.

const HLS_TYPE = "application/vnd.apple.mpegurl";
const LIBRARY = "../../vendor/hls-1.7.4.min.mjs";

/**
 * Opens a stream; gives { levels, tracks, chooseLevel, chooseTrack, close }.
 *   onLevels   called with [[value, text]] of the renditions, best first; -1 chooses by itself
 *   onTracks   called with [[value, text]] of the subtitles and the one that is shown; -1 shows none
 *   onProblem  called with what went wrong for good
 */
export async function openStream(video, url, told) {
  // Safari plays HLS best by itself; elsewhere the library knows more of it than the browser.
  if (video.canPlayType(HLS_TYPE) && /apple/i.test(navigator.vendor)) return openNative(video, url, told);
  const { default: Hls } = await import(LIBRARY);
  return openWithLibrary(Hls, video, url, told);
}

function openWithLibrary(Hls, video, url, { onLevels, onTracks, onProblem, startAt }) {
  // Its worker would need a script from a blob: address, which the page's policy forbids; fMP4 hardly needs one.
  const hls = new Hls({ enableWorker: false, startPosition: startAt || -1, capLevelToPlayerSize: true });
  let mended = false;
  const tellTracks = () => onTracks(hls.subtitleTracks.map((track, index) => [index, track.name]), hls.subtitleTrack);
  hls.on(Hls.Events.MANIFEST_PARSED, () => {
    onLevels(hls.levels.map((level, index) => [index, `${Math.min(level.width, level.height)}p`]).reverse());
  });
  hls.on(Hls.Events.SUBTITLE_TRACKS_UPDATED, tellTracks);
  hls.on(Hls.Events.SUBTITLE_TRACK_SWITCH, tellTracks);
  hls.on(Hls.Events.ERROR, (_, problem) => {
    if (!problem.fatal) return;
    if (problem.type === Hls.ErrorTypes.MEDIA_ERROR && !mended) {
      mended = true;
      hls.recoverMediaError();
    } else onProblem(problem.details);
  });
  hls.loadSource(url);
  hls.attachMedia(video);
  return {
    chooseLevel: (value) => {
      hls.nextLevel = value;
    },
    chooseTrack: (value) => {
      hls.subtitleDisplay = true;
      hls.subtitleTrack = value;
    },
    close: () => hls.destroy(),
  };
}

function openNative(video, url, { onTracks, onProblem }) {
  const subtitles = () => [...video.textTracks].filter((track) => track.kind === "subtitles");
  const tell = () => onTracks(subtitles().map((track, index) => [index, track.label]), subtitles().findIndex((track) => track.mode === "showing"));
  video.src = url;
  video.addEventListener("loadedmetadata", tell, { once: true });
  video.addEventListener("error", () => onProblem(video.error?.message || ""), { once: true });
  return {
    chooseLevel: () => {},
    chooseTrack: (value) => {
      subtitles().forEach((track, index) => {
        track.mode = index === value ? "showing" : "disabled";
      });
      tell();
    },
    close: () => video.removeAttribute("src"),
  };
}
