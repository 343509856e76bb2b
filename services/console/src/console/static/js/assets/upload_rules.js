// What follows the answer to an upload. Pure.

const NETWORK_WAITS_S = [2, 4, 8, 15, 30];
const MOST_WAIT_S = 120;

/** Statuses after which the same upload may well be taken a moment later. */
const AGAIN = { 0: "lost", 408: "lost", 429: "full", 502: "unavailable", 503: "unavailable", 504: "unavailable", 507: "unavailable" };

/**
 * Gives what to do next: { kind: "done" }, { kind: "wait", seconds, why } or { kind: "fail", why }.
 *   status      of the answer; 0: none came
 *   retryAfter  seconds, where the answer says so
 *   tries       that have failed so far, this one included
 *   detail      the answer's own sentence
 */
export function nextStep({ status, retryAfter, tries, detail, kind }) {
  if (status === 202) return { kind: "done" };
  // The upload did not arrive whole: what was sent is not there, and the next try may do better.
  const lost = kind === "upload-broken-off";
  const why = lost ? "lost" : AGAIN[status];
  if (!why) return { kind: "fail", why: status === 401 ? "login" : status === 415 ? "not_media" : "", detail };
  const usual = NETWORK_WAITS_S[Math.min(tries, NETWORK_WAITS_S.length) - 1];
  return { kind: "wait", seconds: Math.min(MOST_WAIT_S, retryAfter || usual), why, detail };
}

/** Why a file need not be sent at all; null when it may be. */
export function refusal({ size }, mostBytes) {
  if (size === 0) return "empty";
  return mostBytes && size > mostBytes ? "too_large" : null;
}
