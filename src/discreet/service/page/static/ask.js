// The analyst's page. It sends texts and decimal strings, shows what comes back, and never works out a ± or a price.
import { ask as asked, get, leave, Lost, post, token, Turned } from "./api.js";
import { failed, running, shape, showAnswer } from "./answer.js";
import { groupable, makeBuilder, quoted } from "./builder.js";
import { insert, paint, refuse } from "./editor.js";
import { gauge } from "./gauge.js";
import { $, $$, amount, banner, el, icon, later, loss, menus, painted } from "./kit.js";
import { makePrice } from "./price.js";
import { noQuote, showQuote } from "./quote.js";
import { turned } from "./theme.js";

const WAIT = 150;   // milliseconds after the last change
const FUNCTIONS = ["COUNT(*)", "AVG()", "SUM()", "MEDIAN()", "QUANTILE(, 0.9)", "STDDEV()", "MIN()", "MAX()", "COUNT(DISTINCT )", "COUNT_IF()", "AT_BOUNDS()", "BIN(, 10)", "FILTER (WHERE )"];
const state = { me: null, tables: [], table: null, builder: null, quote: null, isAnswered: false, key: null, turn: 0, isSure: false, replies: new Map() };
const pricing = makePrice((isAtOnce) => { state.isSure = false; if (isAtOnce) requote(); else soon(); });
const path = (...words) => `/api/tables/${[state.table.name, ...words].map(encodeURIComponent).join("/")}`;
const body = () => ({ sql: $("#sql").value, ...pricing.body() });

// ---- the quote, while typing

async function requote() {
  const turn = state.turn += 1, asking = body(), mark = JSON.stringify(asking);
  if (!asking.sql.trim()) { noQuote("write a question"); return; }
  $("#quote").classList.add("busy");
  try {
    const found = state.replies.get(mark) ?? await post(path("quote"), asking);
    state.replies.set(mark, found);
    if (turn === state.turn) showFound(found);       // an older quote never overwrites a newer question
  } catch (error) {
    if (turn === state.turn) showRefusal(error);
  }
}
const soon = later(WAIT, requote);

function showFound(found) {
  state.quote = found;
  $("#quote").classList.remove("busy");
  $("#quote").hidden = false;
  if ($("#banner .warn")) banner("");
  refuse(null);
  pricing.about(found.budget);
  showQuote(found, pricing.show(found));
  if (!state.isAnswered) shape(found, state.table);
  locked();
}

function showRefusal(error) {
  state.quote = null;
  if (error instanceof Lost) {
    banner("warn", "off", "No connection.", "The quote may be out of date. Nothing was asked and nothing was charged.", el("button", { type: "button", class: "btn tight", text: "Try now", onclick: requote }));
    return;
  }
  if (!(error instanceof Turned)) throw error;
  if (error.status === 401) return;
  refuse(error.body, written);
  pricing.kept();
  noQuote(error.message);
  if (!state.isAnswered) { $("#a-head").textContent = "Answer"; $("#a-body").replaceChildren(el("p", { class: "muted small", text: "The shape of the answer will be shown here as soon as the question can be read." })); }
}

// ---- asking

async function ask() {
  const quote = state.quote;
  if (!quote || $("#ask").disabled) return;
  if (isLarge(quote) && !state.isSure) { confirm(quote); return; }
  state.key ??= crypto.randomUUID();
  for (const button of [$("#ask"), $("#dock-ask")]) button.disabled = true;   // a double click is one ask
  if (!quote.replay) running("running");
  try {
    const found = await asked(state.table.name, body(), state.key, () => running("queued"));
    state.key = null;
    answered(found, { ...found, paid: quote.takes ?? quote.cost });
  } catch (error) {
    trouble(error);
  }
}

function answered(found, shown) {
  state.isAnswered = true;
  state.isSure = false;
  state.replies.clear();                              // what is left has changed, and what was bought is free now
  showAnswer(shown, state.table);
  $("#answer").focus({ preventScroll: true });
  $("#answer").scrollIntoView({ block: "nearest", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  $("#say").textContent = found.replayed ? "Answer shown, free." : `Answered for ${loss(found.cost)}.`;
  requote();
  if (!found.rehearsed) drawHistory();
}

function trouble(error) {
  if (error instanceof Lost) {
    banner("danger", "off", "The connection was lost.", "It may have been charged.", el("button", { type: "button", class: "btn tight", text: "Ask again, charged once", onclick: () => { banner(""); $("#ask").disabled = false; state.isSure = true; ask(); } }));
    return;
  }
  if (!(error instanceof Turned)) throw error;
  state.key = null;
  if (error.status >= 500 && error.body.error === "fault") failed(error.body);
  else banner("danger", "stop", "Not answered.", `${error.message}${error.body.hint ? `; ${error.body.hint}` : ""}. Nothing was charged.`);
  state.replies.clear();
  requote();
}

const isLarge = (quote) => !quote.replay && part(quote) >= 0.5;
const part = (quote) => { const kind = pricing.price.kind; return amount(quote.cost[kind] ?? 0) / (amount((quote.budget.analyst?.remaining ?? quote.budget.remaining)[kind]) || 1); };

function confirm(quote) {             // only a large bite asks twice: what asks every time is not read
  state.isSure = true;
  const percent = `${Math.round(100 * part(quote))}%`;
  $("#confirm").hidden = false;
  $("#confirm").replaceChildren(el("div", { class: "confirm", role: "alert" }, el("p", {}, [el("b", { text: `This takes ${percent} of what you can still spend. ` }), "A charge is never given back."])));
  $("#ask").textContent = `Yes, ask for ${loss(quote.cost)}`;
  $("#dock-ask").textContent = "Yes, ask";
  $("#dock-pm").textContent = `takes ${percent} of what you can spend`;
}

async function rehearse() {
  if (!state.quote || $("#rehearse").disabled) return;
  try {
    const found = await post(path("rehearse"), body());
    answered({ ...found, rehearsed: true }, { ...found, rehearsed: true });
  } catch (error) {
    trouble(error);
  }
}

// ---- the question

function written() {
  const isByHand = $("#sql").value.trim() !== state.builder.sql().trim();
  $("#builder").classList.toggle("hand", isByHand);
  $("#builder").inert = isByHand;
  $("#builder-state").replaceChildren(...(isByHand ? ["Written by hand. ", el("button", { type: "button", class: "link", text: "Back to the builder’s", onclick: () => state.builder.again() })] : ["The builder writes the SQL"]));
  state.isAnswered = false;
  state.isSure = false;
  state.key = null;
  paint();
  soon();
}

function fromBuilder(sql) {
  $("#sql").value = sql;
  written();
}

let hasCursor = false;
function pick(column) {
  if (hasCursor || $("#builder").inert) insert(quoted(column.name), written);
  else if (groupable(column)) state.builder.group(column.name);
  else if (column.type === "number" || column.type === "integer") state.builder.add("AVG", column.name);
  else insert(quoted(column.name), written);
}

// ---- the table

function drawTable() {
  const { table } = state, words = table.words, budget = table.budget;
  document.title = `Ask ${table.name} · discreet`;
  $("#table-name").textContent = table.name;
  $("#table-title").textContent = table.description;
  const protects = words.about.slice(1);
  $("#facts").replaceChildren(...[...protects.map(sentence), ...(words.caps ?? []).map(sentence), `${loss(budget.cap)} for everybody, for the life of the table. Nothing refills.`, table.odds].filter(Boolean).map((text) => el("li", { text })));
  const described = new Map(words.columns.map((each) => [each.name, each]));
  $("#columns").replaceChildren(...table.columns.map((column) => { const said = described.get(column.name); return el("li", {}, el("button", { type: "button", onclick: () => pick(column) }, [
    el("code", { text: column.name }), el("span", { text: column.type }), el("span", { text: [said?.values, said?.description].filter(Boolean).join(" · ") })])); }));
  $("#functions").replaceChildren(...FUNCTIONS.map((each) => el("button", { type: "button", class: "fn", "aria-label": `Insert ${each}`, text: each.replace(/\(.*$/, each === "COUNT(*)" ? "(*)" : ""), onclick: () => insert(each, written) })));
  stopped();
}
const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;

function stopped() {
  if (state.table.state !== "stopped") { banner(""); return; }
  banner("danger", "snow", "Asking is stopped.", `${state.table.reason ?? ""} What was answered before can still be opened, free.`);
  locked();
}

function locked() {
  if (state.table.state !== "stopped" || state.quote?.replay) return;
  for (const button of [$("#ask"), $("#dock-ask")]) button.disabled = true;
  $("#ask").textContent = "Asking is stopped";
}

function drawTables() {
  $("#tables").replaceChildren(...state.tables.map((each) => {
    const bar = el("div", { class: "slim" });
    if (each.budget) gauge(bar, { ...each.budget, hasKey: false });
    const word = each.state === "stopped" ? el("span", { class: "tag danger" }, [icon("snow"), "stopped"]) : el("span", { class: "tiny quiet", text: each.budget ? `${loss(each.budget.remaining)} of ${loss(each.budget.cap)} left` : "" });
    return el("button", { type: "button", class: "item t-item", "aria-current": String(each.name === state.table?.name), onclick: () => { $(".picker").open = false; open(each.name); } },
      [el("span", { class: "row apart" }, [el("code", {}, el("b", { text: each.name })), word]), el("span", { class: "small muted", text: each.description ?? "" }), bar]);
  }));
}

// ---- what was asked before

const when = (text) => new Date(text).toLocaleString("en-US", { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" });

async function drawHistory() {
  let answers;
  try {
    ({ answers } = await get(`/api/answers?table=${encodeURIComponent(state.table.name)}`));
  } catch (error) {
    if (error instanceof Lost) return;                // the quote says so, and what is shown stays
    throw error;
  }
  const mine = answers.filter((each) => each.table === state.table.name && each.question);
  $("#history").replaceChildren(...(mine.length ? mine.map(line) : [el("li", { class: "small muted", text: "Nothing yet. What you ask will be here, and opening it again is free." })]));
}

function line(each) {
  return el("li", {}, el("button", { type: "button", class: "h-item", title: "Open again, free", onclick: () => again(each) }, [el("span", { text: when(each.at) }), el("code", {}, painted(each.question)),
    el("span", { class: "row" }, [el("span", { class: "quiet", text: `paid ${loss(each.cost)}` }), el("span", { class: "tag ok", text: "open, free" })])]));
}

async function again(each) {
  $("#sql").value = each.question.replace(/ (FROM|WHERE|GROUP BY|HAVING|ORDER BY|LIMIT) /g, "\n$1 ");
  written();
  try {
    const found = await get(`/api/answers/${each.id}`);
    state.isAnswered = true;
    showAnswer({ ...found, replayed: true, paid: each.cost }, state.table);
    $("#answer").focus({ preventScroll: true });
  } catch (error) {
    trouble(error);
  }
}

// ---- coming in

async function open(name) {
  state.table = await get(`/api/tables/${encodeURIComponent(name)}`);
  history.replaceState(null, "", `/ask?table=${encodeURIComponent(name)}`);
  state.replies.clear();
  state.builder = makeBuilder(state.table, fromBuilder);
  pricing.about(state.table.budget);
  drawTable();
  drawTables();
  state.builder.clear();
  await drawHistory();
}

function wire() {
  menus();
  pricing.wire();
  $("#theme").prepend(icon("moon"));
  $("#theme").addEventListener("click", turned);
  $("#out").addEventListener("click", () => leave());
  $("#sql").addEventListener("input", written);
  $("#sql").addEventListener("focus", () => { hasCursor = true; });
  $("#sql").addEventListener("scroll", () => { $("#paint").scrollTop = $("#sql").scrollTop; });
  $("#sql").addEventListener("keydown", (event) => { if (event.key === "Escape") $("#epsilon").focus(); });
  $("#clear").addEventListener("click", () => state.builder.clear());
  $("#ask").addEventListener("click", ask);
  $("#dock-ask").addEventListener("click", ask);
  $("#rehearse").addEventListener("click", rehearse);
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key !== "Enter") return;
    event.preventDefault();
    if (event.shiftKey) rehearse(); else ask();
  });
  if (matchMedia("(max-width: 860px)").matches) for (const each of $$("#words, #public")) each.open = false;
}

async function begin() {
  if (!token.get()) { leave(); return; }
  wire();
  try {
    state.me = await get("/api/me");
    $("#to-holder").hidden = state.me.role !== "holder";
    $("#who").textContent = `${state.me.name}, ${state.me.role === "holder" ? "data holder" : "analyst"}`;
    state.tables = (await get("/api/tables")).tables;
    const wished = new URLSearchParams(location.search).get("table"), first = state.tables.find((each) => each.name === wished) ?? state.tables.find((each) => each.state === "open") ?? state.tables[0];
    if (first) await open(first.name);
    else empty();
  } catch (error) {
    if (error instanceof Lost) banner("warn", "off", "No connection.", "The server cannot be reached.", el("button", { type: "button", class: "btn tight", text: "Try now", onclick: () => location.reload() }));
    else if (error.status !== 401) banner("danger", "stop", "This did not work.", error.message);
  }
}

function empty() {
  $("#main").replaceChildren(el("section", { class: "card", id: "nothing" }, el("div", { class: "body stack" }, [el("h1", { text: "No table yet" }), el("p", { text: "Nobody has let you ask a table so far. Ask the data holder for a grant; your token stays the same." })])));
  $("#dock").hidden = true;
}

begin();
