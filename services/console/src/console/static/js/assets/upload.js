// Files dropped on the page, or chosen: a row each, two at a time.

import { word } from "../words.js";
import { UploadJob } from "./upload_job.js";
import { UploadRow, sizeText } from "./upload_row.js";
import { refusal } from "./upload_rules.js";

const AT_ONCE = 2;

const place = document.getElementById("uploads");
const chooser = document.getElementById("files");
const owner = document.getElementById("upload-owner");
const said = document.getElementById("upload-said");
const mostBytes = Number(document.getElementById("upload").dataset.mostBytes) || null;
const jobs = [];

function add(files) {
  for (const file of files) {
    const row = new UploadRow(place, file.name);
    const reason = refusal(file, mostBytes);
    if (reason) {
      const values = { size: sizeText(file.size), most: sizeText(mostBytes ?? 0) };
      row.show("failed", word(`upload_${reason}`, values), [["close", () => row.remove(), `${word("upload_remove")}: ${file.name}`]]);
      continue;
    }
    const job = new UploadJob(file, owner.value.trim(), row, (state, assetId, text) => told(file, state, assetId, text));
    jobs.push(job);
  }
  go();
}

function go() {
  while (jobs.filter((job) => job.started && job.active).length < AT_ONCE) {
    const next = jobs.find((job) => job.active && !job.started);
    if (!next) return;
    next.start();
  }
}

function told(file, state, assetId, text) {
  said.textContent = state === "done" ? word("upload_said_done", { name: file.name }) : word("upload_said_wait", { name: file.name, reason: text });
  if (state === "waiting") return;
  go();
  if (state === "done") document.dispatchEvent(new CustomEvent("asset-uploaded", { detail: assetId }));
}

chooser.addEventListener("change", () => {
  add([...chooser.files]);
  chooser.value = "";
});

// The whole page takes files: nobody has to aim.
let over = 0;
const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");
addEventListener("dragenter", (event) => {
  if (!carriesFiles(event)) return;
  over += 1;
  document.body.classList.add("dragging");
});
addEventListener("dragleave", (event) => {
  if (carriesFiles(event) && --over <= 0) document.body.classList.remove("dragging");
});
addEventListener("dragover", (event) => {
  if (carriesFiles(event)) event.preventDefault();
});
addEventListener("drop", (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  over = 0;
  document.body.classList.remove("dragging");
  add([...event.dataTransfer.files]);
});

addEventListener("beforeunload", (event) => {
  if (jobs.some((job) => job.active)) event.preventDefault();
});
