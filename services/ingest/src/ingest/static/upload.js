// Sends a chosen or dropped file as the raw body, shows how far it is, and goes to its page.
const drop = document.getElementById("drop");
const file = document.getElementById("file");
const sent = document.getElementById("sent");
const said = document.getElementById("said");

file.addEventListener("change", () => send(file.files[0]));
drop.addEventListener("dragover", (event) => {
  event.preventDefault();
  drop.classList.add("over");
});
drop.addEventListener("dragleave", () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  send(event.dataTransfer.files[0]);
});

function send(chosen) {
  if (!chosen) return;
  const request = new XMLHttpRequest();
  request.open("POST", `/media/upload?filename=${encodeURIComponent(chosen.name)}`);
  const media = /^(video|audio)\//.test(chosen.type);
  request.setRequestHeader("Content-Type", media ? chosen.type : "application/octet-stream");
  request.setRequestHeader("Idempotency-Key", crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`);
  request.upload.addEventListener("progress", (event) => {
    sent.hidden = false;
    sent.value = event.loaded / event.total;
    said.textContent = `${chosen.name}: ${Math.round(sent.value * 100)} %`;
  });
  request.addEventListener("load", () => {
    const answer = JSON.parse(request.responseText);
    if (request.status === 202) location.assign(`/media/${answer.assetId}`);
    else fail(answer.detail);
  });
  request.addEventListener("error", () => fail("The connection was lost. Try again."));
  request.send(chosen);
}

function fail(reason) {
  sent.hidden = true;
  said.textContent = reason;
  file.value = "";
}
