// The last fifteen minutes in the page's memory: columns as charts take them.

/** The columns of a channel, named as in a look. */
export const SERIES = ["ready", "unacked", "publishedRate", "ackedRate", "working", "deadLetters", "paused"];
const SPAN_S = 900;

export class Series {
  constructor() {
    this.at = [];
    this.channels = new Map();
  }

  /** Takes the feed's history: all of it, or what the page has missed. */
  takeHistory({ at, channels, whole }) {
    if (whole) {
      this.at = [];
      this.channels = new Map();
    }
    at.forEach((moment, i) => {
      if (moment <= this.last) return;
      this.#append(moment, (name, series) => channels[name]?.[series]?.[i], Object.keys(channels));
    });
    this.#trim();
  }

  /** Takes a look; while the broker is gone it leaves a gap. */
  takeLook(look) {
    if (look.at <= this.last) return;
    const seen = new Map(look.broker.answers ? look.channels.map((channel) => [channel.name, channel]) : []);
    const value = (name, series) => {
      const channel = seen.get(name);
      return series === "paused" ? channel && (channel.workers?.paused ? 1 : 0) : channel?.[series];
    };
    this.#append(look.at, value, [...seen.keys()]);
    this.#trim();
  }

  /** Gives a channel's column; a channel that nothing is known of has nulls. */
  column(name, series) {
    return this.channels.get(name)?.[series] ?? this.at.map(() => null);
  }

  /** Gives the spans in which `state(i)` said the same, as [{from, to, value}]; those without a value are left out. */
  spans(state) {
    const spans = [];
    let open = null;
    this.at.forEach((moment, i) => {
      const value = state(i);
      if (open && open.value === value) return;
      if (open) open.to = moment;
      open = value ? { from: moment, to: null, value } : null;
      if (open) spans.push(open);
    });
    return spans;
  }

  get last() {
    return this.at.at(-1) ?? -Infinity;
  }

  #append(moment, value, names) {
    for (const name of names) {
      if (!this.channels.has(name)) {
        this.channels.set(name, Object.fromEntries(SERIES.map((series) => [series, this.at.map(() => null)])));
      }
    }
    this.at.push(moment);
    for (const [name, columns] of this.channels) for (const series of SERIES) columns[series].push(value(name, series) ?? null);
  }

  #trim() {
    let old = 0;
    while (old < this.at.length && this.at[old] < this.last - SPAN_S) old += 1;
    if (!old) return;
    this.at.splice(0, old);
    for (const columns of this.channels.values()) for (const series of SERIES) columns[series].splice(0, old);
  }
}
