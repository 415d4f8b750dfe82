// The data holder's page. Acts that cannot be undone ask for a reason; nothing else asks twice.
import { get, leave, Lost, post, token as own, Turned } from "./api.js";
import { form, text as shownText, token as shownToken } from "./dialogs.js";
import { gauge } from "./gauge.js";
import { $, $$, amount, banner, copy, download, el, icon, loss, menus, num, remedy, sentence, sign, toast } from "./kit.js";
import { when } from "./public.js";
import { spending } from "./spending.js";
import { turned } from "./theme.js";

const CHARGES = new Set(["charge", "settle", "fault"]);
const state = { tables: [], report: null, people: [], faults: [], entries: [], name: "", since: 0, checked: null };
const at = (...words) => `/api/tables/${[state.name, ...words].map(encodeURIComponent).join("/")}`;
const kindOf = () => Object.keys(state.report.budget.cap)[0];
const reason = ["reason", "Reason, signed into the ledger", { required: true, maxlength: 900 }];

// ---- reading

async function refresh() {
  const [{ tables }, report, { analysts }, { faults }, { entries }] = await Promise.all([get("/api/tables"), get(at("report")), get("/api/analysts"), get("/api/faults"), get(`${at("ledger")}?most=200`)]);
  Object.assign(state, { checked: new Date(), tables, report, people: analysts, faults: faults.filter((each) => !each.table || each.table === state.name), entries });
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
  $("#figures").replaceChildren(...[[loss(budget.remaining), `left of ${loss(budget.cap)}`], [num(charges.length), charges.length === 1 ? "question charged" : "questions charged"]].map(([figure, words]) => el("p", {}, [el("b", { text: figure }), el("span", { text: words })])));
  gauge($("#gauge"), budget);
  $("#odds").textContent = table.odds;
  drawSpending();
  drawVersions();
  for (const [spot, page] of [["#report", "report"], ["#begin", "version"]]) $(spot).href = `/${page}?table=${encodeURIComponent(table.name)}`;
  tabled("#charges", ["when", "analyst", "price", "question", ""], charges.map((each) => [when(each.at), each.analyst || "anonymous", loss(each.price), el("code", { text: each.question }), each.state]));
  drawTables();
  drawLook();
  drawLedger(state.report.ledger);
  drawPeople();
  drawEntries();
}

function drawSpending() {
  const { charges, budget, acts } = state.report, kind = kindOf(), from = state.since ? Date.now() - state.since * 864e5 : 0;
  const caps = acts.filter((each) => each.cap).map((each) => ({ at: each.at, cap: each.cap }));
  spending($("#spending"), { charges, cap: budget.cap[kind], caps, kind, from, since: acts[0]?.at });
}

function drawVersions() {
  const { acts, table } = state.report, found = acts.filter((each) => each.kind === "register" || each.kind === "version").reverse();
  tabled("#versions", ["version", "since", "entry", "reason", "state"], found.map((each) => [el("code", { text: each.version ?? "" }), when(each.at), String(each.number), el("span", { text: each.reason || (each.kind === "register" ? "opened" : "") }),
    each.version === table.version ? el("span", { class: "tag ok", text: "stands now" }) : el("span", { class: "tag", text: "ended" })]));
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
    const asking = state.people.filter((one) => one.role === "analyst" && one.state === "open" && one.tables.includes(each.name)).length, kind = Object.keys(each.budget?.cap ?? {})[0];
    const isUsed = each.budget && amount(each.budget.remaining[kind]) <= 0;
    const word = each.state === "stopped" ? el("span", { class: "tag danger" }, [icon("snow"), "stopped"]) : el("span", { class: "tiny quiet", text: isUsed ? "used up" : `${asking} ${asking === 1 ? "analyst" : "analysts"}` });
    return el("li", {}, el("a", { class: "t", href: `/holder?table=${encodeURIComponent(each.name)}`, "aria-current": isHere ? "true" : null, onclick: (event) => { event.preventDefault(); guarded(() => open(each.name)); } },
      [el("span", { class: "row apart" }, [el("code", {}, el("b", { text: each.name })), word]), bar, el("span", { class: "tiny quiet", text: each.budget ? `${loss(each.budget.remaining)} of ${loss(each.budget.cap)} left` : each.reason ?? "" })]));
  }));
}

const STOPS = {
  closed: () => ["warn", "warn", "The source file changed without a new version", "It is not what the ledger knows. Analysts get no new answers until you put it back and unfreeze, or begin a version."],
  expired: (each) => ["warn", "warn", "Asking has ended", `The last day was ${each.since.slice(0, 10)}.`],
};
function lookAt(each) {
  const told = STOPS[each.state]?.(each) ?? ["danger", "snow", each.analyst ? `${each.analyst} is frozen` : "Asking is frozen", `${each.state === "frozen" ? "A data holder stopped it" : "It was stopped"}${each.since ? ` (${when(each.since)})` : ""}${each.reason ? `: “${each.reason}”` : "."}${each.reference ? ` Reference ${each.reference}.` : ""}`];
  return [...told, each.state === "closed" ? el("span", { class: "row" }, [el("a", { class: "btn tight", href: $("#begin").href, text: "Begin a version" }), el("button", { class: "btn tight", text: "Unfreeze", onclick: () => guarded(() => unfreeze(null)) })])
    : each.state === "expired" ? null : el("button", { class: "btn tight", text: "Unfreeze", onclick: () => guarded(() => unfreeze(each.analyst)) })];
}

function drawLook() {
  const { stops } = state.report;
  const lines = [...stops.map(lookAt),
    ...state.faults.map((each) => ["warn", "warn", "A question failed after its charge", `${each.analyst || "anonymous"}, ${when(each.at)}, reference ${each.reference ?? "none"}. What was charged stays charged; nothing about rows was told.`, each.reference ? el("button", { class: "btn tight", text: "Copy the reference", onclick: () => copy(each.reference, "Reference") }) : null])];
  $("#look-count").textContent = lines.length || "nothing";
  $("#look-count").className = lines.length ? "tag danger" : "tag ok";
  $("#look").replaceChildren(...lines.map(([kind, symbol, head, text, act]) => el("li", { class: kind }, [icon(symbol), el("div", {}, [el("b", { text: head }), el("p", { text })]), act])));
  $("#look").hidden = !lines.length;
  const isFrozen = stops.some((each) => !each.analyst && each.state === "frozen");
  $("#freeze span").textContent = isFrozen ? "Unfreeze" : "Freeze";
  $("#freeze").classList.toggle("danger", !isFrozen);
}

const ROLLBACK = { "not excluded": "not excluded: a witness that somebody else keeps would tell (discreet ledger witness)", excluded: "excluded: it goes on from the witness that was kept" };
function drawLedger(found) {
  $("#ledger-tag").className = `tag push ${found.ok ? "ok" : "danger"}`;
  $("#ledger-tag").replaceChildren(icon(found.ok ? "check" : "stop"), found.ok ? "consistent" : "does not agree");
  const pairs = [["Entries", `${num(found.entries)}, chain and totals recomputed`], ["Checked", when(state.checked)], ["Rollback", ROLLBACK[found.rollback] ?? found.rollback], ["Head", el("code", { text: `${found.head.slice(0, 8)} ${found.head.slice(8, 16)} …` })], ...found.problems.map((each) => ["Problem", each]), ...(found.notes ?? []).map((each) => ["Note", el("span", { class: "small muted", text: each })])];
  $("#ledger").replaceChildren(...pairs.flatMap(([name, value]) => [el("dt", { text: name }), el("dd", {}, value)]));
}

function drawPeople() {
  const { budget } = state.report, spent = budget.analysts ?? {}, kind = kindOf();
  const shown = state.people.filter((each) => each.role === "analyst");
  const last = Object.fromEntries(state.report.charges.map((each) => [each.analyst, each.at])), order = [...new Set(state.report.charges.map((each) => each.analyst || "anonymous"))].sort();
  tabled("#analysts", ["analyst", "spent", "last question", "until", "state", ""], shown.map((each) => {
    const limit = each.limits?.[state.name], used = spent[each.name]?.spent ?? { [kind]: "0" }, place = order.indexOf(each.name);
    const isOpen = each.tables.includes(state.name), isFull = limit && amount(used[kind] ?? 0) >= amount(limit[kind] ?? 0), isFrozen = state.report.stops.some((stop) => stop.analyst === each.name);
    const word = each.state !== "open" ? each.state : !isOpen ? "no grant" : isFrozen ? "frozen" : isFull ? "limit reached" : "may ask";
    return [el("span", { class: "row" }, [el("span", { class: `swatch ${place < 0 ? "" : `s${place % 6 + 1}`}` }), el("code", { text: each.name })]), usage(used, limit, kind), last[each.name] ? when(last[each.name]) : "none yet", each.expires ? each.expires.slice(0, 10) : "no end",
      el("span", { class: `tag ${word === "may ask" ? "ok" : word === "frozen" || each.state !== "open" ? "danger" : ""}`, text: word }), el("button", { class: "btn tight", "aria-label": `Manage ${each.name}`, text: "Manage", onclick: () => guarded(() => manage(each)) })];
  }));
}

function usage(used, limit, kind) {
  const bar = el("span", { class: "use" }, el("i")), part = amount(used[kind] ?? 0) / (amount((limit ?? state.report.budget.cap)[kind] ?? 1) || 1);
  bar.firstChild.style.width = `${Math.min(100, 100 * part)}%`;
  bar.classList.toggle("full", part >= 1);
  return el("span", {}, [limit ? `${loss(used)} of ${loss(limit)}` : `${loss(used)}, no limit`, bar]);
}

function drawEntries() {
  const which = $("#kind").value, isShown = (kind) => !which || (which === "charges") === CHARGES.has(kind);
  const raised = ({ cap, was, reason: why }) => `to ${cap[0]} from ${was[0]} · ${why}`;
  const words = ({ kind, body }) => kind === "raise" ? raised(body) : kind === "version" || kind === "register" ? [`version ${body.version}`, body.reason].filter(Boolean).join(" · ") : kind === "charge" ? `${body.analyst || "anonymous"}, ${loss(body.price)}: ${body.question}` : kind === "settle" ? `charge ${body.charge} answered`
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
    else if (error instanceof Turned) banner("danger", "stop", "Not done.", `${sentence(error.message)} ${error.body.hint ? sentence(remedy(error.body)) : ""}`);
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
  const made = await post("/api/analysts", { name: found.name, tables: found.limit ? [] : found.ticked, ...(found.until ? { expires: found.until } : {}) });
  const path = (verb) => `/api/analysts/${encodeURIComponent(found.name)}/${verb}`;
  try {
    if (found.limit) await post(path("limit"), { table: state.name, [kindOf()]: found.limit });   // before they may ask
    if (found.limit && found.ticked.length) await post(path("grant"), { tables: found.ticked });
  } finally {
    await shownToken(made.name, made.token, copy);   // whatever became of the rest: it is told this once
  }
  await done(`${made.name} may ask`);
}

async function manage(person) {
  const path = (verb) => `/api/analysts/${encodeURIComponent(person.name)}/${verb}`, kind = kindOf(), limit = person.limits?.[state.name]?.[kind] ?? "";
  const found = await form({ title: `Grants and limits of ${person.name}`, yes: "Keep", legend: "May ask", boxes: state.tables.map((each) => [each.name, each.name, person.tables.includes(each.name)]),
    fields: [["limit", `Limit on ${state.name}, ${sign(kind)} (empty: none)`, { inputmode: "decimal", value: limit }]], extra: [["rotate", "New token"], ["revoke", "Revoke"]] });
  if (!found) return;
  if (found.act === "rotate") { const made = await post(path("rotate"), {}); await shownToken(made.name, made.token, copy); await done("The old token has ended"); return; }
  if (found.act === "revoke") {
    const sure = await form({ title: `Revoke ${person.name}`, words: "Their token ends at once and for good, in every worker. Answers that were given stay theirs. To stop them for a while, freeze instead, with a reason.", yes: "Revoke", isDanger: true });
    if (!sure) return;
    await post(path("revoke"), {}); await done(`${person.name} is revoked, in every worker`);
    return;
  }
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
  $("#facts").addEventListener("click", () => guarded(async () => { const { facts } = await get(at("facts")); await shownText(`Facts of ${state.name}`, "All of it is public: analysts see it, and quotes follow from it.", facts, copy); }));
  for (const button of $$("#span button")) button.addEventListener("click", () => {
    state.since = button.textContent === "30 days" ? 30 : 0;
    for (const each of $$("#span button")) each.setAttribute("aria-pressed", String(each === button));
    drawSpending();
  });
  $("#export").addEventListener("click", () => download(`entries-${state.name}.json`, state.entries.map((each) => JSON.stringify(each)).join("\n")));
  $("#verify").addEventListener("click", () => guarded(async () => { const found = await get("/api/ledger/verification"); state.checked = new Date(); drawLedger(found); toast(found.ok ? `Consistent: ${num(found.entries)} entries` : "The ledger does not agree with itself"); }));
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
    else $("#page").replaceChildren(el("section", { class: "card" }, el("div", { class: "body stack" }, [el("h1", { text: "No table yet" }), el("p", { text: "Bring one: a CSV, Parquet or DuckDB file, and what is public about it. Nobody can ask it before you let them." }), el("p", {}, el("a", { class: "btn primary", href: "/register", text: "Add a table" }))])));
  });
}

begin();
