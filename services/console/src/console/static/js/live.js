// A live feed of the server (server-sent events) that a page can trust.
//
//   const feed = live("/fleet/events", {
//     events: { look: (data) => …, history: (data) => … },   // by event name; data is parsed JSON
//     onState: ({ kind, since, reason }) => …,               // whenever one of them changes
//     staleAfter: 4,                                         // seconds without a word until it counts as lost
//   });
//   feed.close();
//
// kind: "connecting" · "live" · "lost" (nothing heard since `since`) · "full" (too many viewers) · "hidden" · "closed".
// The stream is closed while the tab is hidden, so that many tabs don't use up the browser's connections, and goes on
// where it stopped: the last event's id is sent as ?after=…. A feed that is lost comes back by itself.

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8000;

export function live(url, options) {
  return new Feed(url, options);
}

class Feed {
  constructor(url, { events, onState = () => {}, staleAfter = 4 }) {
    this.url = url;
    this.events = events;
    this.onState = onState;
    this.staleMs = staleAfter * 1000;
    this.lastId = null;
    this.heardAt = null;
    this.wait = FIRST_WAIT_MS;
    this.state = {};
    this.watch = setInterval(() => this.#look(), 1000);
    this.onVisibility = () => (document.hidden ? this.#hide() : this.#open());
    document.addEventListener("visibilitychange", this.onVisibility);
    addEventListener("pagehide", () => this.#drop());
    addEventListener("pageshow", (event) => event.persisted && this.#open());
    if (document.hidden) this.#hide();
    else this.#open();
  }

  close() {
    clearInterval(this.watch);
    document.removeEventListener("visibilitychange", this.onVisibility);
    this.#drop();
    this.#tell("closed");
  }

  #open() {
    this.#drop();
    if (this.state.kind !== "lost" && this.state.kind !== "full") this.#tell("connecting");
    this.openedAt = performance.now();
    const url = new URL(this.url, location.href);
    if (this.lastId) url.searchParams.set("after", this.lastId);
    this.source = new EventSource(url);
    this.source.addEventListener("beat", (event) => this.#heard(event));
    for (const [name, handle] of Object.entries(this.events)) {
      this.source.addEventListener(name, (event) => {
        this.#heard(event);
        handle(JSON.parse(event.data));
      });
    }
    // The browser's own retry knows no limit on viewers and no login that ran out: ask what is wrong, then try again.
    this.source.onerror = () => this.#failed();
  }

  #heard(event) {
    if (event.lastEventId) this.lastId = event.lastEventId;
    this.heardAt = new Date();
    this.heardTick = performance.now();
    this.wait = FIRST_WAIT_MS;
    this.#tell("live");
  }

  async #failed() {
    this.#drop();
    const status = await this.#ask();
    if (status === 401 || status === 403) return location.reload(); // the session is over: the page leads to the login
    if (status === 503) this.#tell("full");
    else this.#tell("lost", this.heardAt);
    this.retry = setTimeout(() => !document.hidden && this.#open(), this.wait * (0.75 + Math.random() / 2));
    this.wait = Math.min(LONGEST_WAIT_MS, this.wait * 2);
  }

  async #ask() {
    try {
      const answer = await fetch(this.url, { method: "HEAD", cache: "no-store", redirect: "manual" });
      return answer.type === "opaqueredirect" ? 401 : answer.status;
    } catch {
      return 0;
    }
  }

  // A connection can be open and dead: a frozen process, a pulled cable.
  #look() {
    if (!this.source) return;
    const since = Math.max(this.openedAt, this.heardTick ?? 0);
    if (performance.now() - since > this.staleMs) {
      this.#tell("lost", this.heardAt);
      if (performance.now() - since > 3 * this.staleMs) this.#open();
    }
  }

  #hide() {
    this.#drop();
    this.#tell("hidden", this.heardAt);
  }

  #drop() {
    clearTimeout(this.retry);
    this.source?.close();
    this.source = null;
  }

  #tell(kind, since = null) {
    if (kind === this.state.kind && since === this.state.since) return;
    this.state = { kind, since };
    this.onState(this.state);
  }
}
