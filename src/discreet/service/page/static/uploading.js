// A file on its way into the folder that is served. How far it is can be seen; what is too large is not sent at all.
import { get, leave, Lost, token, Turned } from "./api.js";
import { $, banner, num, remedy, sentence } from "./kit.js";

const megabytes = (bytes) => `${num(Math.ceil(bytes / 1e6))} MB`;

export async function uploaded(file, progress) {
  const { limits } = await get("/api/me"), most = limits.upload_bytes;
  if (file.size > most) throw new Turned(413, { error: "too_large", message: `${file.name} has ${megabytes(file.size)}, and ${megabytes(most)} are taken here`, hint: "send it as Parquet, which is smaller, or put it into the folder by hand and run discreet register" });
  progress.textContent = `Sending ${file.name} …`;
  const found = await sent(file, (part) => { progress.textContent = `Sending ${file.name}, ${Math.floor(100 * part)}% …`; });
  return found.file;
}

// XMLHttpRequest, since fetch does not tell how much of a body is gone.
function sent(file, told) {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/api/uploads?name=${encodeURIComponent(file.name)}`);
    request.setRequestHeader("Authorization", `Bearer ${token.get() ?? ""}`);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.addEventListener("progress", (event) => { if (event.lengthComputable) told(event.loaded / event.total); });
    request.addEventListener("error", () => failed(new Lost("no connection")));
    request.addEventListener("load", () => {
      let body = {};
      try { body = JSON.parse(request.responseText); } catch { /* what is no JSON says nothing */ }
      if (request.status === 401) leave("out");
      if (request.status >= 200 && request.status < 300) done(body); else failed(new Turned(request.status, body));
    });
    request.send(file);
  });
}

// A file that is chosen, or dropped on its box.
export function bringing(act) {
  $("#file").addEventListener("change", () => { if ($("#file").files[0]) act($("#file").files[0]); });
  for (const kind of ["dragover", "dragleave", "drop"]) $("#drop").addEventListener(kind, (event) => {
    event.preventDefault();
    $("#drop").classList.toggle("over", kind === "dragover");
    if (kind === "drop" && event.dataTransfer.files[0]) act(event.dataTransfer.files[0]);
  });
}

// What went wrong while a form was filled in, in a banner; `lost` is what to say without a connection, `button` what may be tried again.
export async function saying(act, button, lost) {
  try {
    await act();
  } catch (error) {
    if (error instanceof Lost) banner("warn", "off", "No connection.", ...lost());
    else if (error instanceof Turned) {
      banner("danger", "stop", "Not done.", `${sentence(error.message)} ${error.body.hint ? sentence(remedy(error.body)) : ""}`);
      $("#progress").textContent = "";
      $(button).disabled = false;
    } else throw error;
  }
}
