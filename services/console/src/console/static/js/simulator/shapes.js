// What is drawn with: messages by kind (shape and colour), boxes, text.

import { paint } from "../chart_theme.js";

export const PLAIN = 0;
export const RETRY = 1;
export const POISON = 2;

const COLOURS = ["--accent", "--warn", "--bad"];

export const kindColour = (kind) => paint(COLOURS[kind]);

/** A message: a dot, a ring for one that failed before, a diamond for poison. */
export function message(c, x, y, size, kind, fade = 1) {
  c.globalAlpha = fade;
  c.beginPath();
  if (kind === POISON) diamond(c, x, y, size * 1.45);
  else c.arc(x, y, kind === RETRY ? size * 0.85 : size, 0, 2 * Math.PI);
  if (kind === RETRY) {
    c.lineWidth = Math.max(1.5, size * 0.55);
    c.strokeStyle = kindColour(kind);
    c.stroke();
  } else {
    c.fillStyle = kindColour(kind);
    c.fill();
  }
  c.globalAlpha = 1;
}

function diamond(c, x, y, size) {
  c.moveTo(x, y - size);
  c.lineTo(x + size, y);
  c.lineTo(x, y + size);
  c.lineTo(x - size, y);
  c.closePath();
}

export function roundBox(c, rect, radius, { fill, stroke, dash = [], width = 1 } = {}) {
  c.beginPath();
  c.roundRect(rect.x, rect.y, rect.width, rect.height, radius);
  if (fill) {
    c.fillStyle = paint(fill);
    c.fill();
  }
  if (!stroke) return;
  c.setLineDash(dash);
  c.lineWidth = width;
  c.strokeStyle = paint(stroke);
  c.stroke();
  c.setLineDash([]);
}

export function line(c, x1, y1, x2, y2, colour, { width = 1, dash = [] } = {}) {
  c.beginPath();
  c.setLineDash(dash);
  c.lineWidth = width;
  c.strokeStyle = paint(colour);
  c.moveTo(x1, y1);
  c.lineTo(x2, y2);
  c.stroke();
  c.setLineDash([]);
}

/** A ring that closes with `share` (0 to 1). */
export function ring(c, x, y, radius, share, colour, width) {
  c.beginPath();
  c.lineWidth = width;
  c.strokeStyle = paint(colour);
  c.arc(x, y, radius, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * Math.min(1, share));
  c.stroke();
}

export function text(c, said, x, y, { colour = "--soft", size, weight = 400, align = "left", base = "alphabetic" }) {
  c.font = `${weight} ${size}px ${c.family}`;
  c.fillStyle = paint(colour);
  c.textAlign = align;
  c.textBaseline = base;
  c.fillText(said, x, y);
}
