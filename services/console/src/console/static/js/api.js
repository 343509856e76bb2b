// Requests to the console's own API: the token that changes need, and errors as people read them.

import { word } from "./words.js";
import { toast } from "./toasts.js";

/** What the console answered when it did not do what it was asked. */
export class ApiError extends Error {
  constructor(status, problem, retryAfter) {
    super(problem.detail || problem.title || word("network_failed"));
    this.status = status;
    this.title = problem.title || "";
    this.problem = problem;
    /** Seconds, where the console said when to try again. */
    this.retryAfter = retryAfter;
  }
}

const token = () => document.querySelector('meta[name="csrf-token"]')?.content ?? "";

/** The headers of a change; for requests that are not made by `call`. */
export const changeHeaders = () => ({ "X-CSRFToken": token(), Accept: "application/json" });

/**
 * Sends a request and gives the JSON of the answer (null when it has none).
 * Throws ApiError; where the session has ended the login page comes instead.
 */
export async function call(method, path, body, options = {}) {
  const headers = method === "GET" ? { Accept: "application/json" } : { ...changeHeaders(), "Content-Type": "application/json" };
  const sent = body === undefined ? (method === "GET" ? undefined : "{}") : JSON.stringify(body);
  let answer;
  try {
    answer = await fetch(path, { method, headers, body: sent, credentials: "same-origin", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, { detail: word("network_failed") });
  }
  if (answer.status === 401) {
    location.assign(`/login?next=${encodeURIComponent(location.pathname + location.search)}`);
    return new Promise(() => {}); // the page is on its way out
  }
  return read(answer);
}

async function read(answer) {
  const text = await answer.text();
  let parsed = null;
  try {
    parsed = text ? JSON.parse(text) : null;
  } catch {
    parsed = answer.ok ? null : { detail: word("answer_unreadable") };
  }
  if (answer.ok) return parsed;
  throw new ApiError(answer.status, parsed ?? {}, Number(answer.headers.get("Retry-After")) || null);
}

export const get = (path, options) => call("GET", path, undefined, options);
export const post = (path, body, options) => call("POST", path, body, options);

/** Does what a button is for: the button waits meanwhile, and what went wrong is said. Gives null then. */
export async function withButton(button, act) {
  if (button.getAttribute("aria-busy") === "true") return null;
  button.setAttribute("aria-busy", "true");
  try {
    return await act();
  } catch (error) {
    sayError(error);
    return null;
  } finally {
    button.removeAttribute("aria-busy");
  }
}

/** Says an error; ones that nobody expected go on to the browser's console too. */
export function sayError(error) {
  if (!(error instanceof ApiError)) console.error(error);
  const later = error.retryAfter ? ` ${word("again_in", { seconds: error.retryAfter })}` : "";
  toast(error.message + later, "bad");
}
