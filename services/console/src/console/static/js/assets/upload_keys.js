// The idempotency key of a file whose upload has not ended: also after the page was left and the file is chosen again.

const STORE = "mediaflow-uploads";
const KEPT_MS = 24 * 3600 * 1000;

function read() {
  try {
    const kept = JSON.parse(localStorage.getItem(STORE)) ?? {};
    return Object.fromEntries(Object.entries(kept).filter(([, { at }]) => Date.now() - at < KEPT_MS));
  } catch {
    return {};
  }
}

function write(kept) {
  try {
    localStorage.setItem(STORE, JSON.stringify(kept));
  } catch {
    // Then a file that is chosen again after the page was left is a new upload.
  }
}

const nameOf = (file, owner) => [file.name, file.size, file.lastModified, owner].join("|");

/** Outside of a secure context there is no randomUUID; 128 random bits will do. */
function fresh() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Gives the key under which this file is uploaded. */
export function keyOf(file, owner) {
  const kept = read();
  const name = nameOf(file, owner);
  kept[name] ??= { key: fresh(), at: Date.now() };
  write(kept);
  return kept[name].key;
}

/** The upload has ended: the same file chosen again is another upload. */
export function forget(file, owner) {
  const kept = read();
  delete kept[nameOf(file, owner)];
  write(kept);
}
