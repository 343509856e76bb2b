// A word-sized chart: an area and a line over it, each on its own scale, for shapes and not for values.

import { paint } from "./chart_theme.js";

const POINTS = 150;

/** Draws `area` (filled) and `line` over the time `at` (seconds), the last `span` seconds of it. */
export function sparkline(canvas, { at, area, line, span, areaColour, lineColour }) {
  const ratio = devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (!width) return;
  if (canvas.width !== Math.round(width * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  const end = at.at(-1) ?? 0;
  const x = (moment) => width - ((end - moment) / span) * width;
  ctx.strokeStyle = paint("--line");
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.moveTo(0, height - 0.5);
  ctx.lineTo(width, height - 0.5);
  ctx.stroke();
  fill(ctx, peaks(at, area, span), x, height, paint(areaColour));
  stroke(ctx, peaks(at, line, span), x, height, paint(lineColour));
}

// The highest value of each stretch, so that a short peak is not lost.
function peaks(at, values, span) {
  const end = at.at(-1) ?? 0;
  const found = new Map();
  at.forEach((moment, i) => {
    if (values[i] === null) return;
    const slot = Math.floor((moment - end) / (span / POINTS));
    const before = found.get(slot);
    if (!before || values[i] >= before.value) found.set(slot, { at: moment, value: values[i] });
  });
  return [...found.values()];
}

function outline(ctx, points, x, height) {
  const most = Math.max(1, ...points.map((point) => point.value));
  points.forEach(({ at, value }, i) => {
    const y = height - 1.5 - (value / most) * (height - 4);
    if (i) ctx.lineTo(x(at), y);
    else ctx.moveTo(x(at), y);
  });
}

function fill(ctx, points, x, height, colour) {
  if (points.length < 2) return;
  ctx.beginPath();
  outline(ctx, points, x, height);
  ctx.lineTo(x(points.at(-1).at), height);
  ctx.lineTo(x(points[0].at), height);
  ctx.closePath();
  ctx.globalAlpha = 0.28;
  ctx.fillStyle = colour;
  ctx.fill();
  ctx.globalAlpha = 1;
  stroke(ctx, points, x, height, colour, 1);
}

function stroke(ctx, points, x, height, colour, width = 1.5) {
  if (points.length < 2) return;
  ctx.beginPath();
  outline(ctx, points, x, height);
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.lineJoin = "round";
  ctx.stroke();
}
