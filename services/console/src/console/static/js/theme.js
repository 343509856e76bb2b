// The page's colours for what is not styled by a sheet (charts), and the moment they change.

const probe = document.createElement("span");
probe.hidden = true;

/** Gives a token's colour as it is now, for example colour("--ink"). `within`: an element whose own tokens count. */
export function colour(token, within = document.body) {
  within.append(probe);
  probe.style.color = `var(${token})`;
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

/** Calls back whenever light becomes dark or the other way round. */
export function onThemeChange(callback) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", callback);
  new MutationObserver(callback).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
}
