// What is drawn behind and over the lines: bands (a pause), marks (what an operator did), and each line's head.

import { headPath, lineColour, paint, WALL } from "./chart_theme.js";

// bands: [{from, to|null, label}], marks: [{at, label}], both in the x axis' unit. A band without an end goes on.
// lines: the plot's own ones, for a plot may still be drawn once when it has been replaced.
export function marksPlugin(host, state, lines) {
  return {
    hooks: {
      drawClear: (u) => {
        const labels = [...drawBands(u, state.bands), ...drawMarks(u, state.marks)];
        drawLabels(u, host, labels);
      },
      draw: (u) => drawHeads(u, lines),
    },
  };
}

// Both give the labels to be drawn: a mark's stands right of it, a band's inside or left of it.
function drawBands(u, bands) {
  const { ctx, bbox } = u;
  const labels = [];
  ctx.save();
  clip(ctx, bbox);
  for (const { from, to, label } of bands) {
    const left = Math.max(bbox.left, u.valToPos(from, "x", true));
    const right = Math.min(bbox.left + bbox.width, u.valToPos(to ?? u.scales.x.max, "x", true));
    if (right <= left) continue;
    ctx.fillStyle = paint("--chart-band");
    ctx.fillRect(left, bbox.top, right - left, bbox.height);
    ctx.strokeStyle = paint("--line-strong");
    ctx.lineWidth = devicePixelRatio;
    ctx.beginPath();
    for (const [edge, shown] of [[left, true], [right, to !== null]]) {
      if (!shown) continue;
      ctx.moveTo(edge, bbox.top);
      ctx.lineTo(edge, bbox.top + bbox.height);
    }
    ctx.stroke();
    if (label) labels.push({ text: label, x: left, room: right - left, outside: true });
  }
  ctx.restore();
  return labels;
}

function drawMarks(u, marks) {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio;
  const size = 4 * ratio;
  const labels = [];
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = paint("--faint");
  ctx.lineWidth = ratio;
  ctx.setLineDash([2 * ratio, 3 * ratio]);
  for (const { at, label } of marks) {
    const x = Math.round(u.valToPos(at, "x", true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(x - size, bbox.top + bbox.height);
    ctx.lineTo(x + size, bbox.top + bbox.height);
    ctx.lineTo(x, bbox.top + bbox.height - 1.5 * size);
    ctx.fill();
    if (label) labels.push({ text: label, x, room: Infinity });
  }
  ctx.restore();
  return labels;
}

// A label that would stand on another one, or over the edge, is left out: the charts are for shapes.
function drawLabels(u, host, labels) {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio;
  const gap = 4 * ratio;
  const taken = [];
  ctx.save();
  ctx.font = `${(WALL ? 15 : 11) * ratio}px ${getComputedStyle(host).fontFamily}`;
  ctx.fillStyle = paint("--soft");
  ctx.textAlign = "left";
  ctx.textBaseline = "top";
  for (const { text, x, room, outside } of labels) {
    const { width } = ctx.measureText(text);
    const left = outside && width + 2 * gap > room ? x - gap - width : x + gap;
    const fits = left >= bbox.left && left + width <= bbox.left + bbox.width;
    if (!fits || taken.some(([from, to]) => left < to + gap && left + width > from - gap)) continue;
    taken.push([left, left + width]);
    ctx.fillText(text, left, bbox.top + 2 * ratio);
  }
  ctx.restore();
}

// The head of each line carries its shape, so that lines are told apart without their colour.
function drawHeads(u, lines) {
  const { ctx } = u;
  const size = 4.5 * devicePixelRatio;
  lines.forEach((line, index) => {
    const values = u.data[index + 1];
    if (!u.series[index + 1].show || !values) return;
    let last = values.length - 1;
    while (last >= 0 && values[last] == null) last -= 1;
    if (last < 0 || u.data[0][last] < u.scales.x.min) return;
    const x = u.valToPos(u.data[0][last], "x", true);
    const y = u.valToPos(values[last], u.series[index + 1].scale, true);
    ctx.save();
    ctx.translate(x, y);
    ctx.scale(size, size);
    ctx.lineWidth = 0.5;
    ctx.strokeStyle = paint("--surface");
    ctx.fillStyle = lineColour(line);
    ctx.stroke(headPath(line));
    ctx.fill(headPath(line));
    ctx.restore();
  });
}

function clip(ctx, { left, top, width, height }) {
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
}
