// Asks for the state again and again: each second while something goes on, seldom otherwise, never while hidden.

const BUSY_MS = 1000;
const CALM_MS = 4000;
const FAILED_MS = 3000;

/** Calls show(state) with what ask() gives. The watch's soon() asks at once. */
export function watch(ask, show) {
  let timer = 0;
  let asking = false;
  let again = false;

  async function turn() {
    clearTimeout(timer);
    if (document.hidden) return;
    if (asking) {
      again = true;
      return;
    }
    asking = true;
    let wait = FAILED_MS;
    try {
      const state = await ask();
      show(state);
      wait = goesOn(state) ? BUSY_MS : CALM_MS;
    } catch (error) {
      if (!error.status && error.name !== "ApiError" && !(error instanceof TypeError)) throw error;
    } finally {
      asking = false;
      timer = setTimeout(turn, again ? 0 : wait);
      again = false;
    }
  }

  document.addEventListener("visibilitychange", turn);
  turn();
  return { soon: turn };
}

const goesOn = (state) => state.channels.some(({ look, run }) => look.looking || !look.id || (run && !run.ended));
