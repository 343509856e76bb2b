// The viewer has a light and a dark theme but does not follow the system's choice by itself.
const dark = matchMedia("(prefers-color-scheme: dark)");
const api = document.getElementById("api");

function follow() {
  api.setAttribute("theme", dark.matches ? "dark" : "light");
}

dark.addEventListener("change", follow);
follow();
