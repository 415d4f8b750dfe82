// The analyst's page. It sends texts and decimal strings, shows what comes back, and never works out a ± or a price.
import { ask as asked, get, leave, Lost, post, token, Turned } from "./api.js";
import { failed, running, shape, showAnswer, unreadable } from "./answer.js";
import { factsOf, when } from "./public.js";
import { groupable, makeBuilder, quoted } from "./builder.js";
import { insert, paint, refuse } from "./editor.js";
import { gauge } from "./gauge.js";
import { $, $$, amount, american, banner, el, icon, later, loss, menus, painted, remedy, sentence, toast } from "./kit.js";
import { makePrice } from "./price.js";
import { noQuote, showQuote } from "./quote.js";
import { turned } from "./theme.js";

const WAIT = 150;   // milliseconds after the last change
const FUNCTIONS = ["COUNT(*)", "AVG()", "SUM()", "MEDIAN()", "QUANTILE(, 0.9)", "STDDEV()", "MIN()", "MAX()", "COUNT(DISTINCT )", "COUNT_IF()", "AT_BOUNDS()", "BIN(, 10)", "FILTER (WHERE )"];
const state = { me: null, tables: [], table: null, builder: null, quote: null, isAnswered: false, shown: "", asking: null, turn: 0, isSure: false, replies: new Map() };
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
  showQuote(found, pricing.show(found), { table: state.table, isAnswered: state.isAnswered && state.shown === JSON.stringify(body()), add: (column) => addStatistic("AT_BOUNDS", column) });
  if (!state.isAnswered && !(state.asking && isStill(state.asking))) shape(found);
  if (state.asking) for (const button of [$("#ask"), $("#dock-ask")]) button.disabled = true;
  usedUp(found.budget);
  locked();
}

function showRefusal(error) {
  state.quote = null;
  if (error instanceof Lost) {
    for (const button of [$("#ask"), $("#dock-ask"), $("#rehearse")]) button.disabled = true;
    if (state.asking && $("#banner .danger")) return;                   // what is said of an ask is not taken back by a quote
    const words = state.asking ? "The quote may be out of date. What you asked before will be under Your questions." : "The quote may be out of date. Nothing was asked and nothing was charged.";
    banner("warn", "off", "No connection.", words, el("button", { type: "button", class: "btn tight", text: "Try now", onclick: requote }));
    return;
  }
  if (!(error instanceof Turned)) throw error;
  if (error.status === 401) return;
  refuse(error.body, written);
  offerDelta(error.body);
  pricing.kept();
  noQuote(error.message);
  if (!state.isAnswered) unreadable();
}

// Keys that nobody listed take a δ: one that the budget has is one click away.
function offerDelta(body) {
  const some = /delta/.test(body.remedy ?? body.hint ?? "") ? pricing.someDelta() : null;
  if (some) $("#refused .refused")?.append(el("p", { class: "row" }, el("button", { type: "button", class: "btn tight", text: `Spend ${loss({ delta: some })} as well`, onclick: () => pricing.spendDelta(some) })));
}

function addStatistic(statistic, column) {
  if (!$("#builder").inert) { state.builder.add(statistic, column.replaceAll('"', "")); return; }
  $("#sql").value = $("#sql").value.replace(/\sFROM\s/i, (from) => `, ${statistic}(${column}) AS ${statistic.toLowerCase()}${from}`);
  written();
}

function usedUp(budget) {
  const kind = pricing.price.kind, isEmpty = amount(budget.remaining[kind] ?? 0) <= 0;
  if (isEmpty && state.table.state !== "stopped" && !$("#banner .danger")) banner("danger", "stop", `The budget of ${state.table.name} is used up.`, "What was answered before can still be opened, free.");
}

// ---- asking

async function ask() {
  const quote = state.quote;
  if (!quote || state.asking || $("#ask").disabled) return;
  if (isLarge(quote) && !state.isSure) { confirm(quote); return; }
  await send({ table: state.table.name, body: body(), key: crypto.randomUUID(), quote });
}

// One ask, however often it is sent: it has its own text and its own key, whatever is typed meanwhile.
async function send(asking) {
  state.asking = asking;
  for (const button of [$("#ask"), $("#dock-ask")]) button.disabled = true;   // a double click is one ask
  if (!asking.quote.replay) running("running");
  try {
    const found = await asked(asking.table, asking.body, asking.key, () => running("queued"));
    Object.assign(state, { asking: null, shown: JSON.stringify(asking.body) });
    if (isStill(asking)) { answered(found, { ...found, paid: found.paid ?? asking.quote.takes ?? asking.quote.cost }); return; }
    toast("The answer to what you asked is under Your questions");
    state.replies.clear();
    requote();
    drawHistory();
  } catch (error) {
    trouble(error, asking);
  }
}
const isStill = (asking) => state.table.name === asking.table && $("#sql").value === asking.body.sql;

function answered(found, shown) {
  state.isAnswered = true;
  state.isSure = false;
  state.replies.clear();                              // what is left has changed, and what was bought is free now
  showAnswer(shown, state.table);
  $("#answer").focus({ preventScroll: true });
  $("#answer").scrollIntoView({ block: "nearest", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  $("#say").textContent = found.replayed ? "Answer shown, free." : `Answered for ${loss(found.cost)}.`;
  requote();
  if (found.rehearsed) return;
  drawHistory();
  state.tables = state.tables.map((each) => each.name === state.table.name ? { ...each, budget: found.budget } : each);
  drawTables();
}

function trouble(error, asking = null) {
  const again = (key) => el("button", { type: "button", class: "btn tight", text: "Ask again, charged once", onclick: () => { banner(""); send({ ...asking, key }); } });
  if (error instanceof Lost) {
    if (asking) banner("danger", "off", "The connection was lost.", "It may have been charged.", again(asking.key));
    else banner("warn", "off", "No connection.", "Nothing was asked and nothing was charged.");
    return;
  }
  state.asking = null;
  if (!(error instanceof Turned)) throw error;
  if (error.status === 503 && asking) {                // ledger or source cannot be reached; whatever was charged for it is not charged again
    banner("danger", "off", "Not answered now.", `${sentence(error.message)} ${error.body.reference ? `The data holder can look it up by its reference ${error.body.reference}. ` : ""}It is charged once, however often you ask.`, again(crypto.randomUUID()));
  } else if (error.status >= 500) failed(error.body, asking?.quote.cost);
  else banner("danger", "stop", "Not answered.", `${sentence(error.message)} ${error.body.hint ? `${sentence(remedy(error.body))} ` : ""}Nothing was charged.`, el("button", { type: "button", class: "btn tight", text: "Close", onclick: () => banner("") }));
  state.replies.clear();
  if (error.status === 403 || error.status === 404) reopened();
  requote();
}

// A table that was frozen or taken away in the meantime says so at once.
async function reopened() {
  try {
    state.table = await get(`/api/tables/${encodeURIComponent(state.table.name)}`);
    drawTable();
  } catch (error) {
    if (!(error instanceof Lost) && error.status !== 401) banner("danger", "stop", "This table is not yours to ask any more.", "The data holder took it away. What you were answered before is yours.");
  }
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
    state.shown = "";
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
  const { table } = state, words = table.words;
  document.title = `Ask ${table.name} · discreet`;
  $("#table-name").textContent = table.name;
  $("#table-title").textContent = table.description;
  $("#facts").replaceChildren(...factsOf(table).map(([lead, rest]) => el("li", {}, [lead ? el("b", { text: `${lead} ` }) : null, rest])));
  const described = new Map(words.columns.map((each) => [each.name, each]));
  $("#columns").replaceChildren(...table.columns.map((column) => { const said = described.get(column.name); return el("li", {}, el("button", { type: "button", onclick: () => pick(column) }, [
    el("code", { text: column.name }), el("span", { text: column.type }), el("span", { text: [american(said?.values ?? ""), said?.description, column.per_unit && "the same in all rows of one"].filter(Boolean).join(" · ") })])); }));
  $("#caps").hidden = table.unit.kind !== "column";
  for (const [box, name] of [["#max-rows", "max_rows"], ["#max-groups", "max_groups"]]) $(box).placeholder = table.unit[name] ? String(table.unit[name]) : "no cap";
  $("#functions").replaceChildren(...FUNCTIONS.map((each) => el("button", { type: "button", class: "fn", "aria-label": `Insert ${each}`, text: each.replace(/\(.*$/, each === "COUNT(*)" ? "(*)" : ""), onclick: () => insert(each, written) })));
  stopped();
}
function stopped() {
  if (state.table.state !== "stopped") { banner(""); return; }
  const reason = american(state.table.reason ?? "");
  banner("danger", "snow", /frozen/.test(reason) ? "Asking is frozen." : "Asking is stopped.", `${reason}${/[.!?]$/.test(reason) ? "" : "."} What was answered before can still be opened, free.`);
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
    Object.assign(state, { isAnswered: true, shown: "" });
    showAnswer({ ...found, replayed: true, paid: found.paid ?? each.cost }, state.table);
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
  state.asking = null;
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
