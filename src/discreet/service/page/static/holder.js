// The data holder's page. Acts that cannot be undone ask for a reason; nothing else asks twice.
import { get, leave, Lost, post, token as own, Turned } from "./api.js";
import { form, token as shownToken } from "./dialogs.js";
import { gauge } from "./gauge.js";
import { $, amount, banner, copy, download, el, icon, loss, menus, num, sign, toast } from "./kit.js";
import { spending } from "./spending.js";
import { turned } from "./theme.js";

const CHARGES = new Set(["charge", "settle", "fault"]);
const state = { tables: [], report: null, people: [], faults: [], entries: [], name: "" };
const at = (...words) => `/api/tables/${[state.name, ...words].map(encodeURIComponent).join("/")}`;
const when = (text) => new Date(text).toLocaleString("en-US", { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" });
const kindOf = () => Object.keys(state.report.budget.cap)[0];
const reason = ["reason", "Reason, signed into the ledger", { required: true, maxlength: 900 }];

// ---- reading

async function refresh() {
  const [{ tables }, report, { analysts }, { faults }, { entries }] = await Promise.all([get("/api/tables"), get(at("report")), get("/api/analysts"), get("/api/faults"), get(`${at("ledger")}?most=200`)]);
  Object.assign(state, { tables, report, people: analysts, faults: faults.filter((each) => !each.table || each.table === state.name), entries });
  draw();
}

async function open(name) {
  state.name = name;
  history.replaceState(null, "", `/holder?table=${encodeURIComponent(name)}`);
  await refresh();
}

// ---- drawing

function draw() {
  const { table, budget, charges } = state.report, kind = kindOf();
  document.title = `${table.name} · discreet`;
  $("#name").textContent = table.name;
  $("#about").textContent = [table.description, `version ${table.version}`].filter(Boolean).join(" · ");
  $("#figures").replaceChildren(...[[loss(budget.remaining), `left of ${loss(budget.cap)}`], [num(charges.length), "questions charged"]].map(([figure, words]) => el("p", {}, [el("b", { text: figure }), el("span", { text: words })])));
  gauge($("#gauge"), budget);
  $("#odds").textContent = table.odds;
  spending($("#spending"), { charges, cap: budget.cap[kind], kind, since: state.report.acts[0]?.at });
  tabled("#charges", ["when", "analyst", "price", "question", ""], charges.map((each) => [when(each.at), each.analyst || "anonymous", loss(each.price), el("code", { text: each.question }), each.state]));
  drawTables();
  drawLook();
  drawLedger(state.report.ledger);
  drawPeople();
  drawEntries();
}

function tabled(spot, heads, rows) {
  const cell = (inside) => el("td", { class: inside instanceof Node ? "wrap" : "" }, inside);
  $(spot).replaceChildren(el("thead", {}, el("tr", {}, heads.map((text) => el("th", { scope: "col" }, text || el("span", { class: "vh", text: "more" }))))),
    el("tbody", {}, rows.map((row) => el("tr", {}, row.map((inside, place) => place ? cell(inside) : el("th", { scope: "row" }, inside))))));
}

function drawTables() {
  $("#tables").replaceChildren(...state.tables.map((each) => {
    const bar = el("div", { class: "slim" }), isHere = each.name === state.name;
    if (each.budget) gauge(bar, { ...each.budget, hasKey: false });
    const word = each.state === "stopped" ? el("span", { class: "tag danger" }, [icon("snow"), "stopped"]) : null;
    return el("li", {}, el("a", { class: "t", href: `/holder?table=${encodeURIComponent(each.name)}`, "aria-current": isHere ? "true" : null, onclick: (event) => { event.preventDefault(); guarded(() => open(each.name)); } },
      [el("span", { class: "row apart" }, [el("code", {}, el("b", { text: each.name })), word]), bar, el("span", { class: "tiny quiet", text: each.budget ? `${loss(each.budget.remaining)} of ${loss(each.budget.cap)} left` : each.reason ?? "" })]));
  }));
}

function drawLook() {
  const { stops } = state.report;
  const lines = [...stops.map((each) => ["danger", "snow", each.analyst ? `${each.analyst} is frozen` : "Asking is stopped", each.message ?? each.reason ?? "", ["Unfreeze", () => unfreeze(each.analyst)]]),
    ...state.faults.map((each) => ["warn", "warn", `A question failed after its charge`, `${each.analyst || "anonymous"}, ${when(each.at)}, reference ${each.reference ?? "none"}; what was charged stays charged.`, null])];
  $("#look-count").textContent = lines.length || "nothing";
  $("#look-count").className = lines.length ? "tag danger" : "tag ok";
  $("#look").replaceChildren(...lines.map(([kind, symbol, head, text, act]) => el("li", { class: kind }, [icon(symbol), el("div", {}, [el("b", { text: head }), el("p", { text })]), act ? el("button", { class: "btn tight", text: act[0], onclick: act[1] }) : null])));
  $("#look").hidden = !lines.length;
  const isFrozen = stops.some((each) => !each.analyst);
  $("#freeze span").textContent = isFrozen ? "Unfreeze" : "Freeze";
  $("#freeze").classList.toggle("danger", !isFrozen);
}

function drawLedger(found) {
  $("#ledger-tag").className = `tag push ${found.ok ? "ok" : "danger"}`;
  $("#ledger-tag").replaceChildren(icon(found.ok ? "check" : "stop"), found.ok ? "consistent" : "does not agree");
  const pairs = [["Entries", `${num(found.entries)}, chain and totals recomputed`], ["Rollback", found.rollback], ["Head", el("code", { text: `${found.head.slice(0, 8)} ${found.head.slice(8, 16)} …` })], ...found.problems.map((each) => ["Problem", each])];
  $("#ledger").replaceChildren(...pairs.flatMap(([name, value]) => [el("dt", { text: name }), el("dd", {}, value)]));
}

function drawPeople() {
  const { budget } = state.report, spent = budget.analysts ?? {}, kind = kindOf();
  const shown = state.people.filter((each) => each.role === "analyst");
  tabled("#analysts", ["analyst", "spent", "limit here", "until", "state", ""], shown.map((each) => {
    const limit = each.limits?.[state.name], used = spent[each.name]?.spent ?? { [kind]: "0" };
    const isOpen = each.tables.includes(state.name), word = each.state !== "open" ? each.state : isOpen ? "may ask" : "no grant";
    return [el("code", { text: each.name }), usage(used, limit ?? budget.cap, kind), limit ? loss(limit) : "none", each.expires ? each.expires.slice(0, 10) : "no end",
      el("span", { class: `tag ${word === "may ask" ? "ok" : each.state === "open" ? "" : "danger"}`, text: word }), el("button", { class: "btn tight", "aria-label": `Manage ${each.name}`, text: "Manage", onclick: () => guarded(() => manage(each)) })];
  }));
}

function usage(used, cap, kind) {
  const bar = el("span", { class: "use" }, el("i")), part = amount(used[kind] ?? 0) / (amount(cap[kind] ?? 1) || 1);
  bar.firstChild.style.width = `${Math.min(100, 100 * part)}%`;
  bar.classList.toggle("full", part >= 1);
  return el("span", {}, [loss(used), bar]);
}

function drawEntries() {
  const which = $("#kind").value, isShown = (kind) => !which || (which === "charges") === CHARGES.has(kind);
  const words = ({ kind, body }) => kind === "charge" ? `${body.analyst || "anonymous"}, ${loss(body.price)}: ${body.question}` : kind === "settle" ? `charge ${body.charge} answered`
    : [body.name ?? body.analyst, (body.tables ?? []).join(", "), body.reason].filter(Boolean).join(" · ");
  tabled("#entries", ["entry", "when", "what", "about", "hash"], [...state.entries].reverse().filter((each) => isShown(each.kind)).slice(0, 60).map((each) => [String(each.number), when(each.at),
    el("span", { class: `tag ${{ fault: "danger", freeze: "danger", charge: "bite", raise: "warn" }[each.kind] ?? ""}`, text: each.kind }), el("span", { text: words(each) }), el("code", { class: "hash", text: `${each.hash.slice(0, 4)}…${each.hash.slice(-4)}` })]));
}

// ---- acts

async function guarded(act) {
  try {
    await act();
  } catch (error) {
    if (error instanceof Lost) banner("warn", "off", "No connection.", "It is not known whether this was done: look again before you repeat it.", el("button", { class: "btn tight", text: "Look again", onclick: () => location.reload() }));
    else if (error instanceof Turned) banner("danger", "stop", "Not done.", `${error.message}${error.body.hint ? `; ${error.body.hint}` : ""}`);
    else throw error;
  }
}

const done = async (words) => { banner(""); await refresh(); toast(words); };
const names = () => state.people.filter((each) => each.role === "analyst" && each.state === "open").map((each) => each.name);

async function freeze() {
  if (state.report.stops.some((each) => !each.analyst)) { await unfreeze(null); return; }
  const found = await form({ title: `Freeze ${state.name}`, words: "Nobody can ask until you unfreeze it. Answers that were given stay given. Analysts see your reason.", yes: "Freeze", isDanger: true,
    fields: [["who", "For", {}, [["", "all analysts"], ...names().map((each) => [each, `${each} only`])]], reason] });
  if (!found) return;
  await post(at("freeze"), { reason: found.reason, ...(found.who ? { analyst: found.who } : {}) });
  await done("Frozen, and written to the ledger");
}

async function unfreeze(analyst) {
  const found = await form({ title: `Unfreeze ${analyst ?? state.name}`, words: "Asking is allowed again.", yes: "Unfreeze", fields: [reason] });
  if (!found) return;
  await post(at("unfreeze"), { reason: found.reason, ...(analyst ? { analyst } : {}) });
  await done("Unfrozen, and written to the ledger");
}

async function raise() {
  const { cap } = state.report.budget;
  const found = await form({ title: `Raise the budget of ${state.name}`, words: "It cannot be lowered again. What analysts learned stays learned.", yes: "Raise",
    fields: [...Object.entries(cap).map(([kind, value]) => [kind, `New cap, ${sign(kind)}, now ${value}`, { inputmode: "decimal", required: true, value }]), reason] });
  if (!found) return;
  await post(at("raise"), { ...Object.fromEntries(Object.keys(cap).map((kind) => [kind, found[kind]])), reason: found.reason });
  await done("Raised, and signed into the ledger");
}

async function add() {
  const tables = state.tables.map((each) => [each.name, each.name, each.name === state.name]);
  const found = await form({ title: "Add an analyst", yes: "Make a token", legend: "May ask", boxes: tables,
    words: "Limits of different analysts do not add protection: they may share what they learn. What protects people is the one budget of the table.",
    fields: [["name", "Name, as it will stand in the ledger", { required: true }], ["limit", `Limit on ${state.name}, ${sign(kindOf())} (empty: none)`, { inputmode: "decimal" }], ["until", "Until (empty: no end)", { type: "date" }]] });
  if (!found) return;
  const made = await post("/api/analysts", { name: found.name, tables: found.ticked, ...(found.until ? { expires: found.until } : {}) });
  if (found.limit) await post(`/api/analysts/${encodeURIComponent(found.name)}/limit`, { table: state.name, [kindOf()]: found.limit });
  await shownToken(made.name, made.token, copy);
  await done(`${made.name} may ask`);
}

async function manage(person) {
  const path = (verb) => `/api/analysts/${encodeURIComponent(person.name)}/${verb}`, kind = kindOf(), limit = person.limits?.[state.name]?.[kind] ?? "";
  const found = await form({ title: `Grants and limits of ${person.name}`, yes: "Keep", legend: "May ask", boxes: state.tables.map((each) => [each.name, each.name, person.tables.includes(each.name)]),
    fields: [["limit", `Limit on ${state.name}, ${sign(kind)} (empty: none)`, { inputmode: "decimal", value: limit }]], extra: [["rotate", "New token"], ["revoke", "Revoke"]] });
  if (!found) return;
  if (found.act === "rotate") { const made = await post(path("rotate"), {}); await shownToken(made.name, made.token, copy); await done("The old token has ended"); return; }
  if (found.act === "revoke") { await post(path("revoke"), {}); await done(`${person.name} is revoked, in every worker`); return; }
  const more = found.ticked.filter((each) => !person.tables.includes(each)), fewer = person.tables.filter((each) => !found.ticked.includes(each));
  if (more.length) await post(path("grant"), { tables: more });
  if (fewer.length) await post(path("ungrant"), { tables: fewer });
  if (found.limit !== limit) await post(path("limit"), { table: state.name, ...(found.limit ? { [kind]: found.limit } : {}) });
  await done("Kept, and written to the ledger");
}

// ---- coming in

function wire() {
  menus();
  $("#theme").prepend(icon("moon"));
  $("#freeze").prepend(icon("snow"));
  $("#theme").addEventListener("click", turned);
  $("#out").addEventListener("click", () => leave());
  $("#freeze").addEventListener("click", () => guarded(freeze));
  $("#raise").addEventListener("click", () => guarded(raise));
  $("#add").addEventListener("click", () => guarded(add));
  $("#kind").addEventListener("change", drawEntries);
  $("#report").addEventListener("click", () => download(`report-${state.name}.json`, JSON.stringify(state.report, null, 2)));
  $("#export").addEventListener("click", () => download(`entries-${state.name}.json`, state.entries.map((each) => JSON.stringify(each)).join("\n")));
  $("#verify").addEventListener("click", () => guarded(async () => { const found = await get("/api/ledger/verification"); drawLedger(found); toast(found.ok ? `Consistent: ${num(found.entries)} entries` : "The ledger does not agree with itself"); }));
}

async function begin() {
  if (!own.get()) { leave(); return; }
  wire();
  await guarded(async () => {
    const me = await get("/api/me");
    if (me.role !== "holder") { location.replace("/ask"); return; }
    $("#who").textContent = `${me.name}, data holder`;
    const { tables } = await get("/api/tables"), wished = new URLSearchParams(location.search).get("table");
    const first = tables.find((each) => each.name === wished) ?? tables[0];
    if (first) await open(first.name);
    else $("#page").replaceChildren(el("section", { class: "card" }, el("div", { class: "body stack" }, [el("h1", { text: "No table yet" }), el("p", { text: "Write a facts file into the folder that is served, and register it: discreet init data.csv, then discreet register." })])));
  });
}

begin();
