// Preview pictures: WebVTT cues whose text is "sheet.jpg#xywh=x,y,w,h" (media fragments).
const CUE = /((?:\d+:)?\d+:\d+\.\d+)\s+-->\s+((?:\d+:)?\d+:\d+\.\d+).*\n(\S+)#xywh=(\d+),(\d+),(\d+),(\d+)/g;

const seconds = (time) => time.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);

/** Reads a storyboard; the sheets' addresses are relative to it. */
export async function readStoryboard(url) {
  const answer = await fetch(url);
  if (!answer.ok) return [];
  const text = (await answer.text()).replaceAll("\r", "");
  return [...text.matchAll(CUE)].map(([, start, end, sheet, x, y, width, height]) => ({
    start: seconds(start),
    end: seconds(end),
    sheet: new URL(sheet, new URL(url, location.href)).href,
    x: Number(x),
    y: Number(y),
    width: Number(width),
    height: Number(height),
  }));
}

/** The picture of a moment, in seconds. */
export const cueAt = (cues, time) => cues.find((cue) => time < cue.end) ?? cues.at(-1) ?? null;
