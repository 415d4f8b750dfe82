// Signing in. A printed link carries the token behind #; it is taken from the address at once, before anything else happens.
import { get, Lost, token } from "./api.js";
import { $, note } from "./kit.js";

const WHY = {
  expired: ["This token has ended.", "Ask the data holder for another. Your earlier answers and receipts are kept."],
  out: ["You are signed out.", "Paste your token to come in again."],
};

function trouble(head, text, kind = "danger") {
  $("#trouble").replaceChildren(...(head ? [note(kind, head, text)] : []));
  $("#token").setAttribute("aria-invalid", String(kind === "danger" && Boolean(head)));
}

function why(error) {
  if (error instanceof Lost) return ["No connection.", "The server cannot be reached. Nothing was sent."];
  if (error.status === 429) return ["Too many tries.", `Wait ${error.wait || 60} seconds, then try again.`];
  if (error.status === 401 || error.status === 403) return ["That is not a token we know.", "Check that it was copied whole; it begins with dsc_. It may also have ended."];
  return [error.message, error.body?.hint ?? ""];
}

async function enter(given) {
  token.set(given);
  try {
    const me = await get("/api/me");
    location.replace(me.role === "holder" ? "/holder" : "/ask");
  } catch (error) {
    token.drop();
    trouble(...why(error));
    $("#token").focus();
  }
}

const hash = location.hash.slice(1);
if (hash) history.replaceState(null, "", "/");
$("#host").textContent = location.host;
$("#eye").addEventListener("click", () => {
  const isHidden = $("#token").type === "password";
  $("#token").type = isHidden ? "text" : "password";
  $("#eye").textContent = isHidden ? "Hide" : "Show";
  $("#eye").setAttribute("aria-pressed", String(isHidden));
});
$("#signin").addEventListener("submit", (event) => {
  event.preventDefault();
  const given = $("#token").value.trim();
  if (given) enter(given);
  else trouble("A token is needed.", "The data holder has one for you.");
});
if (hash.startsWith("dsc_")) enter(hash);
else if (WHY[hash]) trouble(...WHY[hash], "warn");
else if (token.get()) enter(token.get());
