// Adding a table. The form knows the names of columns and nothing else of the file; every other fact is typed by a person.
import { get, leave, post, token } from "./api.js";
import { makeBudget, showWorth } from "./budgeting.js";
import { makeColumns, TYPES } from "./columns.js";
import { columnsIn, csvIn, factsFile } from "./facts.js";
import { $, $$, american, el, icon, later, menus, sentence } from "./kit.js";
import { factsOf } from "./public.js";
import { bringing, saying, uploaded } from "./uploading.js";
import { turned } from "./theme.js";

const state = { source: "", csv: [], isOpened: false, turn: 0 };
const cards = makeColumns($("#cols"), () => changed());
const budget = makeBudget(() => changed());

// ---- the file

async function brought(file) {
  const name = await uploaded(file, $("#progress"));
  const { facts } = await get(`/api/uploads/${encodeURIComponent(name)}/draft`), names = columnsIn(facts);
  Object.assign(state, { source: name, csv: csvIn(facts) });
  $("#file-name").textContent = name;
  const letters = /^encoding = "(.*)"$/m.exec(state.csv.join("\n"))?.[1];
  $("#progress").textContent = names.length ? `${names.length} columns are named in it.${letters ? ` It seems to be written in ${letters}: see that their names are right.` : ""}` : "No column in it has a name that can be used: is it a table with names in its first line?";
  if (!$("#t-name").value) $("#t-name").value = name.split(".")[0].replace(/[^A-Za-z0-9_]/g, "_");
  $("#u-col").replaceChildren(...names.map((each) => el("option", { text: each })));
  cards.open(names);
  changed();
}

// ---- what the server says of it

const chosen = (name) => $(`[name=${name}]:checked`)?.value ?? "";
const typed = (box) => $(box).value.trim();
const given = () => ({ name: typed("#t-name"), version: typed("#t-version"), title: typed("#t-title"), people: typed("#t-people"), source: state.source, csv: [...state.csv.filter((line) => !typed("#t-encoding") || !line.startsWith("encoding")), ...(typed("#t-encoding") ? [`encoding = "${typed("#t-encoding")}"`] : [])],
  unit: chosen("unit"), unitColumn: $("#u-col").value, maxRows: typed("#u-max"), maxGroups: typed("#u-groups"), maxRowsPerGroup: typed("#u-both"), neighbours: { private: "add_remove", public: "change_one" }[chosen("size")] ?? "", rows: typed("#u-about"),
  ...budget.given(), partition: $("#b-cells").value, perAnalyst: typed("#b-each"), perQuestion: typed("#b-q"), expires: $("#b-until").value });
const facts = () => factsFile(given(), cards.all());

async function check() {
  const turn = state.turn += 1, text = facts();
  $("#toml").textContent = text;
  if (!state.source) { said([{ key: "", message: "there is no file yet", hint: "choose one above" }]); return; }
  const found = await post("/api/check", { facts: text });
  if (turn !== state.turn) return;
  const missing = cards.missing(), named = new Set(missing.map((each) => each.key));
  const problems = [...missing, ...found.problems.filter((each) => !named.has(each.key) && !named.has(each.key?.replace(/\.type$/, "")))];
  said(problems);
  if (found.ok) { preview(found.table, found.warnings); showWorth(found.table); return; }
  sketch(problems);
  const bare = await post("/api/check", { facts: factsFile({ ...given(), partition: "" }, cards.all().slice(0, 1).map(({ name }) => ({ name, type: "text" }))) });   // the budget alone
  if (turn === state.turn && bare.ok) showWorth(bare.table);
}
const soon = later(250, () => guarded(check));
const changed = () => { state.isOpened = false; soon(); };

function said(problems) {
  const named = (column) => problems.filter((each) => each.key === `columns.${column.name}` || each.key?.startsWith(`columns.${column.name}.`));
  for (const column of cards.all()) cards.marked(column, named(column));
  $("#col-count").textContent = cards.counted();
  $("#problems").replaceChildren(...(problems.length ? problems.map(problem) : [el("li", { class: "fine" }, [icon("check"), "Sound. Nothing is missing, and the file has all these columns."])]));
  $("#check-tag").className = `tag push ${problems.length ? "warn" : "ok"}`;
  $("#check-tag").textContent = problems.length ? `${problems.length} to do` : "sound";
  $("#open").disabled = problems.length > 0;
  $("#open").textContent = problems.length ? "Open the budget" : `Open the budget of ${budget.told()}`;
  $("#say").textContent = problems.length ? `${problems.length} ${problems.length === 1 ? "thing" : "things"} to do` : "The facts are sound";
  partitions();
  steps(problems);
}

// Which step a problem belongs to, by the key that the server names.
const STEPS = [["s-file", "The file", /^(table\.(name|source|version|description|people)|csv|)(\.|$)/], ["s-unit", "Who is protected", /^table/], ["s-cols", "Columns", /^columns/], ["s-budget", "Budget", /^budget/]];
const stepOf = (each) => STEPS.find(([, , keys]) => keys.test(each.key ?? ""))?.[0] ?? "s-file";
function steps(problems) {
  $("#steps").replaceChildren(...STEPS.map(([id, words], at) => {
    const left = problems.filter((each) => stepOf(each) === id).length, isDone = state.source && !left;   // without a file nothing was looked at yet
    return el("li", {}, el("a", { href: `#${id}` }, [el("span", { class: `dotn ${left ? "todo" : isDone ? "done" : ""}` }, isDone ? icon("check") : String(at + 1)), el("span", {}, [words, left ? el("small", {}, [el("span", { class: "vh", text: ", " }), `${left} to do`]) : el("span", { class: "vh", text: isDone ? ", done" : ", comes after the file" })])]));
  }));
}

// Cells that compose side by side are those of a category.
function partitions() {
  const names = cards.all().filter((column) => !column.isOut && column.type === "category").map((column) => column.name), kept = $("#b-cells").value;
  if (names.join() === [...$("#b-cells").options].slice(1).map((each) => each.value).join()) return;
  $("#b-cells").replaceChildren(el("option", { value: "", text: "none" }), ...names.map((name) => el("option", { value: name, text: name, selected: name === kept })));
}

function problem(each) {
  const column = cards.all().find((one) => each.key === `columns.${one.name}` || each.key?.startsWith(`columns.${one.name}.`));
  const go = (event) => { if (!column) return; event.preventDefault(); column.box.open = true; $("summary", column.box).focus(); column.box.scrollIntoView({ block: "center" }); };
  return el("li", {}, el("a", { href: `#${stepOf(each)}`, onclick: go }, [icon("warn"), el("span", {}, [el("code", { text: column?.name ?? each.key ?? "" }), ` ${american(each.message)}`, el("small", { text: american(each.hint ?? "") })])]));
}

// What analysts would see so far, before the server has called it sound.
function sketch(problems) {
  const isOpen = (column) => problems.some((each) => each.key?.startsWith(`columns.${column.name}`));
  $("#preview").replaceChildren(el("p", {}, [el("code", {}, el("b", { text: typed("#t-name") || "no name yet" })), typed("#t-title") ? ` · ${typed("#t-title")}` : ""]),
    el("ul", { class: "see", role: "list" }, cards.all().filter((column) => !column.isOut).map((column) => el("li", {}, [el("code", { text: column.name }), el("span", { class: isOpen(column) ? "no" : "", text: cards.summary(column) || TYPES.find(([type]) => type === column.type)?.[1] })]))));
}

function preview(table, warnings) {
  const told = { ...table, budget: { cap: budget.given() } };
  $("#preview").replaceChildren(el("p", {}, [el("code", {}, el("b", { text: table.name })), table.description ? ` · ${table.description}` : ""]), ...factsOf(told).slice(0, -1).map(([lead, rest]) => el("p", {}, [lead ? el("b", { text: `${lead} ` }) : null, rest])),
    ...warnings.map((each) => el("p", { class: "muted", text: sentence(each) })), el("ul", { class: "see", role: "list" }, table.words.columns.map((each) => el("li", {}, [el("code", { text: each.name }), el("span", { text: [american(each.values), each.description].filter(Boolean).join(" · ") })]))));
}

// ---- opening, and coming in

async function opened() {
  $("#open").disabled = true;
  const done = await post("/api/register", { facts: facts() });
  state.isOpened = true;
  location.assign(`/holder?table=${encodeURIComponent(done.table)}`);
}

const guarded = (act) => saying(act, "#open", () => ["Nothing was opened. What you typed is still here."]);

function wire() {
  menus();
  $("#theme").prepend(icon("moon"));
  $("#theme").addEventListener("click", turned);
  $("#out").addEventListener("click", () => leave());
  bringing((file) => guarded(() => brought(file)));
  $("#form").addEventListener("input", () => {
    const isColumn = chosen("unit") === "column", isPublic = chosen("size") === "public";
    $("#unit-more").hidden = !isColumn;
    cards.byUnit(isColumn);
    $("#size-legend").textContent = isColumn ? "Is the number of those who have rows public?" : "Is the number of rows public?";
    $("#u-about-label").textContent = isPublic ? `Exactly how many${isColumn ? " of them" : " rows"}? It has to be right` : "About how many rows? Helps quotes, need not be right";
    changed();
  });
  $("#form").addEventListener("submit", (event) => event.preventDefault());
  $("#open").addEventListener("click", () => guarded(opened));
  addEventListener("beforeunload", (event) => { if (state.source && !state.isOpened) event.preventDefault(); });   // a form that was not opened is not lost in silence
}

async function begin() {
  if (!token.get()) { leave(); return; }
  wire();
  await guarded(async () => {
    const me = await get("/api/me");
    if (me.role !== "holder") { location.replace("/ask"); return; }
    $("#who").textContent = `${me.name}, data holder`;
    for (const link of $$(".top nav a")) link.removeAttribute("aria-current");
    await check();
  });
}

begin();
