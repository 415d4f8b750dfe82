// Adding a table. The form knows the names of columns and nothing else of the file; every other fact is typed by a person.
import { get, leave, Lost, post, token, Turned } from "./api.js";
import { columnsIn, factsFile } from "./facts.js";
import { $, $$, banner, el, icon, later, menus } from "./kit.js";
import { turned } from "./theme.js";

const TYPES = [["number", "number"], ["integer", "whole number"], ["category", "category"], ["boolean", "yes or no"], ["date", "date"], ["text", "text"]];
const BUDGETS = ["0.1", "0.5", "1", "2", "4", "10"];
const state = { source: "", columns: [], epsilon: "1", isOpened: false, turn: 0 };

// ---- the file

async function brought(file) {
  $("#progress").textContent = `Sending ${file.name} …`;
  const response = await sent(file);
  const found = await response.json();
  if (!response.ok) throw new Turned(response.status, found, response.headers);
  state.source = found.file;
  $("#file-name").textContent = found.file;
  const { facts } = await get(`/api/uploads/${encodeURIComponent(found.file)}/draft`);
  state.columns = columnsIn(facts).map((name) => ({ name, type: "", isOut: false }));
  $("#progress").textContent = `${state.columns.length} columns are named in it.`;
  if (!$("#t-name").value) $("#t-name").value = found.file.split(".")[0].replace(/[^A-Za-z0-9_]/g, "_");
  $("#u-col").replaceChildren(...state.columns.map((column) => el("option", { text: column.name })));
  $("#cols").replaceChildren(...state.columns.map(card));
  changed();
}

async function sent(file) {
  try {
    return await fetch(`/api/uploads?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file, headers: { Authorization: `Bearer ${token.get() ?? ""}`, "Content-Type": "application/octet-stream" } });
  } catch {
    throw new Lost("no connection");
  }
}

// ---- columns

function field(column, key, label, { help = "", isLong = false, ...more } = {}) {
  const id = `${column.name}-${key}`, input = el(isLong ? "textarea" : "input", { class: "input", id, autocomplete: "off", ...more, oninput: (event) => { column[key] = event.target.value.trim(); changed(); } });
  input.value = column[key] ?? "";
  return el("div", { class: "field" }, [el("label", { for: id, text: label }), input, el("span", { class: "err" }), help ? el("span", { class: "help", text: help }) : null]);
}

function inside(column) {
  if (column.isOut) return [el("button", { type: "button", class: "btn tight", text: "Describe it after all", onclick: () => { column.isOut = false; redrawn(column); } })];
  const types = el("fieldset", { class: "field" }, [el("legend", { class: "label", text: "What kind of values?" }), el("div", { class: "types" }, TYPES.map(([type, words]) => el("label", {}, [
    el("input", { type: "radio", name: `${column.name}-type`, checked: column.type === type, onchange: () => { column.type = type; redrawn(column); } }), words])))]);
  const blank = el("select", { class: "select", id: `${column.name}-blank`, onchange: (event) => { column.blank = event.target.value; changed(); } },
    [["", "say so in a group of its own"], ["drop", "leave the row out"], ...(column.type === "number" || column.type === "integer" ? [["0", "count it as 0"]] : [])].map(([value, text]) => el("option", { value, text, selected: (column.blank ?? "") === value })));
  return [types, ...ofType(column), el("div", { class: "field narrow" }, [el("label", { for: `${column.name}-blank`, text: "If a value is empty" }), blank]),
    field(column, "about", "In words, for analysts"), el("div", { class: "row" }, el("button", { type: "button", class: "btn tight plain", text: "Leave this column out", onclick: () => { column.isOut = true; redrawn(column); } }))];
}

function ofType(column) {
  const isDay = column.type === "date", how = isDay ? { type: "date" } : { inputmode: "decimal" };
  if (["number", "integer", "date"].includes(column.type)) return [el("div", { class: "pair" }, [field(column, "lower", "Least", how), field(column, "upper", "Most that counts", how)]),
    el("p", { class: "help" }, [el("b", { text: "Where to take them from: " }), "the questionnaire, a law, common sense; never the rows. Values beyond count as the bound. Twice as wide is about twice the ±."])];
  if (column.type === "category") return [field(column, "values", "Categories, one on each line: value = label", { isLong: true, rows: 5, help: "All of them, from the code book, also those that may be empty. All are shown in every answer." })];
  if (column.type === "text") return [el("p", { class: "help", text: "Text can be counted and filtered. Grouping by it takes a δ, and only keys that many share are told." })];
  return [];
}

function card(column) {
  const box = el("details", { class: "col", open: column.isShown, ontoggle: () => { column.isShown = box.open; } }, [el("summary", {}, [el("span", { class: "dotn" }), el("code", { text: column.name }), el("span", { class: "small muted kind" }),
    el("span", { class: "sum" }), el("span", { class: "caret", "aria-hidden": "true" })]), el("div", { class: "inside" }, inside(column))]);
  column.box = box;
  return box;
}

function redrawn(column) {
  const old = column.box;
  column.isShown = true;
  old.replaceWith(card(column));
  $("summary", column.box).focus();
  changed();
}

// ---- what the server says of it

const chosen = (name) => $(`[name=${name}]:checked`)?.value ?? "";
const given = () => ({ name: $("#t-name").value.trim(), version: $("#t-version").value.trim(), title: $("#t-title").value.trim(), source: state.source, unit: chosen("unit"), unitColumn: $("#u-col").value, maxRows: $("#u-max").value.trim(),
  neighbours: { private: "add_remove", public: "change_one" }[chosen("size")] ?? "", rows: $("#u-about").value.trim(), epsilon: state.epsilon, delta: $("#b-delta").value.trim(), perAnalyst: $("#b-each").value.trim(), perQuestion: $("#b-q").value.trim(), expires: $("#b-until").value });
const facts = () => factsFile(given(), state.columns);

async function check() {
  const turn = state.turn += 1, text = facts();
  $("#toml").textContent = text;
  if (!state.source) { said([{ key: "", message: "there is no file yet", hint: "choose one above" }]); return; }
  const found = await post("/api/check", { facts: text });
  if (turn !== state.turn) return;
  const undescribed = state.columns.filter((column) => !column.isOut && !column.type).map((column) => ({ key: `columns.${column.name}`, message: "has no type", hint: "or leave the column out" }));
  said(undescribed.length ? undescribed : found.problems);
  if (found.ok) preview(found.table, found.warnings);
}
const soon = later(250, () => guarded(check));
const changed = () => { state.isOpened = false; soon(); };

function said(problems) {
  const named = (column) => problems.filter((each) => each.key === `columns.${column.name}` || each.key?.startsWith(`columns.${column.name}.`));
  for (const column of state.columns) marked(column, named(column));
  $("#problems").replaceChildren(...(problems.length ? problems.map(problem) : [el("li", { class: "fine" }, [icon("check"), "Sound. Nothing is missing, and the file has all these columns."])]));
  $("#check-tag").className = `tag push ${problems.length ? "warn" : "ok"}`;
  $("#check-tag").textContent = problems.length ? `${problems.length} to do` : "sound";
  $("#open").disabled = problems.length > 0;
  $("#open").textContent = `Open the budget of ε ${state.epsilon}`;
  $("#say").textContent = problems.length ? `${problems.length} things to do` : "The facts are sound";
}

function marked(column, problems) {
  const mark = $(".dotn", column.box), shown = TYPES.find(([type]) => type === column.type)?.[1] ?? "no type yet";
  mark.className = `dotn ${column.isOut ? "" : problems.length ? "todo" : "done"}`;
  mark.replaceChildren(column.isOut ? "–" : problems.length ? String(problems.length) : icon("check"));
  $(".kind", column.box).textContent = column.isOut ? "" : shown;
  $(".sum", column.box).textContent = column.isOut ? "left out: does not exist for analysts" : [column.lower && `${column.lower} …`, column.upper, column.about].filter(Boolean).join(" ");
}

function problem(each) {
  const name = /^columns\.([^.]+)/.exec(each.key ?? "")?.[1], column = state.columns.find((one) => one.name === name || each.key?.startsWith(`columns.${one.name}`));
  const go = (event) => { event.preventDefault(); if (column) { column.box.open = true; $("summary", column.box).focus(); } };
  return el("li", {}, el("a", { href: column ? "#s-cols" : "#s-unit", onclick: go }, [icon("warn"), el("span", {}, [el("code", { text: column?.name ?? each.key ?? "" }), ` ${each.message}`, el("small", { text: each.hint ?? "" })])]));
}

function preview(table, warnings) {
  $("#odds").textContent = table.odds;
  $("#preview").replaceChildren(el("p", {}, [el("code", {}, el("b", { text: table.name })), table.description ? ` · ${table.description}` : ""]), ...table.words.about.slice(1).map((text) => el("p", { text: `${text[0].toUpperCase()}${text.slice(1)}.` })),
    ...warnings.map((text) => el("p", { class: "muted", text })), el("ul", { class: "see", role: "list" }, table.words.columns.map((each) => el("li", {}, [el("code", { text: each.name }), el("span", { text: [each.values, each.description].filter(Boolean).join(" · ") })]))));
}

// ---- opening, and coming in

async function opened() {
  $("#open").disabled = true;
  const done = await post("/api/register", { facts: facts() });
  state.isOpened = true;
  location.assign(`/holder?table=${encodeURIComponent(done.table)}`);
}

async function guarded(act) {
  try {
    await act();
  } catch (error) {
    if (error instanceof Lost) banner("warn", "off", "No connection.", "Nothing was opened. What you typed is still here.");
    else if (error instanceof Turned) { banner("danger", "stop", "Not done.", `${error.message}${error.body.hint ? `; ${error.body.hint}` : ""}`); $("#progress").textContent = ""; }
    else throw error;
  }
}

function drawBudgets() {
  $("#choose").replaceChildren(...BUDGETS.map((each) => el("button", { type: "button", "aria-pressed": String(each === state.epsilon), text: `ε ${each}`, onclick: () => { state.epsilon = each; drawBudgets(); changed(); } })));
}

function wire() {
  menus();
  $("#theme").prepend(icon("moon"));
  $("#theme").addEventListener("click", turned);
  $("#out").addEventListener("click", () => leave());
  $("#file").addEventListener("change", () => { if ($("#file").files[0]) guarded(() => brought($("#file").files[0])); });
  for (const kind of ["dragover", "dragleave", "drop"]) $("#drop").addEventListener(kind, (event) => {
    event.preventDefault();
    $("#drop").classList.toggle("over", kind === "dragover");
    if (kind === "drop" && event.dataTransfer.files[0]) guarded(() => brought(event.dataTransfer.files[0]));
  });
  $("#form").addEventListener("input", () => {
    $("#unit-more").hidden = chosen("unit") !== "column";
    $("#u-about-label").textContent = chosen("size") === "public" ? "Exactly how many? It has to be right" : "About how many? Helps quotes, need not be right";
    changed();
  });
  $("#form").addEventListener("submit", (event) => event.preventDefault());
  $("#open").addEventListener("click", () => guarded(opened));
  addEventListener("beforeunload", (event) => { if (state.source && !state.isOpened) event.preventDefault(); });   // a form that was not opened is not lost in silence
}

async function begin() {
  if (!token.get()) { leave(); return; }
  wire();
  drawBudgets();
  await guarded(async () => {
    const me = await get("/api/me");
    if (me.role !== "holder") { location.replace("/ask"); return; }
    $("#who").textContent = `${me.name}, data holder`;
    for (const link of $$(".top nav a")) link.removeAttribute("aria-current");
    await check();
  });
}

begin();
