// Only for /style: shows what scripts make.

import { ask } from "./dialog.js";
import { toast } from "./toasts.js";

const shows = {
  dialog: () =>
    ask({
      title: "Scale transcode",
      text: "Workers that are too many finish what they hold.",
      action: "Scale",
      fields: [{ name: "count", label: "Workers", value: 5, min: 0, max: 8, note: "Between 2 and 8." }],
    }),
  danger: () => ask({ title: "Pause all channels?", text: ["Uploads go on, and wait."], action: "Pause all", danger: true }),
  toasts: () => ["info", "good", "warn", "bad"].forEach((tone) => toast(`A message that is ${tone}.`, tone)),
};

for (const button of document.querySelectorAll("[data-show]")) button.addEventListener("click", shows[button.dataset.show]);
