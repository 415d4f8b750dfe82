// A new version of a table: new rows, or facts that changed, with a reason. Refused if somebody else has begun one meanwhile.
import { get, leave, post, token } from "./api.js";
import { $, american, el, icon, later, menus } from "./kit.js";
import { turned } from "./theme.js";
import { bringing, saying, uploaded } from "./uploading.js";

const state = { table: new URLSearchParams(location.search).get("table") ?? "", now: "", before: "", isBegun: false, turn: 0 };
const at = (...words) => `/api/tables/${[state.table, ...words].map(encodeURIComponent).join("/")}`;

// One key of [table] in the text, written anew; the rest of it stays to the letter.
function set(key, value) {
  const text = $("#text").value, line = new RegExp(`^(${key}\\s*=\\s*).*$`, "m"), said = `${key} = ${JSON.stringify(value)}`;
  $("#text").value = line.test(text) ? text.replace(line, () => said) : text.replace(/^\[table\].*$/m, (head) => `${head}\n${said}`);
}

async function check() {
  const turn = state.turn += 1, found = await post("/api/check", { facts: $("#text").value });
  if (turn !== state.turn) return;
  const own = [!$("#reason").value.trim() && { key: "reason", message: "is missing", hint: "why is there a new version?" }, $("#version").value.trim() === state.now && { key: "version", message: "is the one that stands now", hint: "give the new one another name" }].filter(Boolean);
  const problems = [...own, ...found.problems];
  $("#problems").replaceChildren(...(problems.length ? problems : [null]).map((each) => each ? el("li", {}, el("a", { href: "#text" }, [icon("warn"), el("span", {}, [el("code", { text: each.key ?? "" }), ` ${american(each.message)}${each.line ? `, line ${each.line}` : ""}`, el("small", { text: american(each.hint ?? "") })])])) : el("li", { class: "fine" }, [icon("check"), "Sound. The file has all these columns."])));
  $("#check-tag").className = `tag push ${problems.length ? "warn" : "ok"}`;
  $("#check-tag").textContent = problems.length ? `${problems.length} to do` : "sound";
  $("#begin").disabled = problems.length > 0;
  $("#say").textContent = problems.length ? `${problems.length} things to do` : "The facts are sound";
}
const soon = later(250, () => guarded(check));

async function brought(file) {
  const name = await uploaded(file, $("#progress"));
  $("#file-name").textContent = name;
  $("#progress").textContent = "It is in the folder.";
  set("source", name);
  soon();
}

async function begin() {
  $("#begin").disabled = true;
  await post(at("version"), { facts: $("#text").value, reason: $("#reason").value.trim(), no_unit_in_both: $("#apart").checked, after: state.now });
  state.isBegun = true;
  location.assign(`/holder?table=${encodeURIComponent(state.table)}`);
}

const guarded = (act) => saying(act, "#begin", () => ["It is not known whether it was begun: look at the table before you try again. What you typed is still here.", el("a", { class: "btn tight", href: `/holder?table=${encodeURIComponent(state.table)}`, target: "_blank", text: "Look" })]);

function wire() {
  menus();
  $("#theme").prepend(icon("moon"));
  $("#theme").addEventListener("click", turned);
  $("#out").addEventListener("click", () => leave());
  bringing((file) => guarded(() => brought(file)));
  $("#version").addEventListener("input", () => { set("version", $("#version").value.trim()); soon(); });
  for (const box of ["#reason", "#text"]) $(box).addEventListener("input", soon);
  $("#form").addEventListener("submit", (event) => event.preventDefault());
  $("#begin").addEventListener("click", () => guarded(begin));
  addEventListener("beforeunload", (event) => { if (!state.isBegun && $("#text").value !== state.before) event.preventDefault(); });
}

async function open() {
  if (!token.get()) { leave(); return; }
  wire();
  await guarded(async () => {
    const me = await get("/api/me");
    if (me.role !== "holder") { location.replace("/ask"); return; }
    $("#who").textContent = `${me.name}, data holder`;
    const [{ facts }, table] = await Promise.all([get(at("facts")), get(at())]);
    Object.assign(state, { now: table.version, before: facts });
    for (const spot of ["#name", "#now"]) $(spot).textContent = spot === "#name" ? table.name : table.version;
    $("#text").value = facts;
    $("#version").value = table.version;
    await check();
  });
}

open();
