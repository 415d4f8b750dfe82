// All that was answered about a table, by whom and at what price: to be read, printed, or taken along.
import { get, leave, Lost, token } from "./api.js";
import { gauge } from "./gauge.js";
import { $, banner, download, el, icon, loss, menus, num, sentence } from "./kit.js";
import { factsOf, when } from "./public.js";
import { turned } from "./theme.js";

const WORDS = { register: "opened", raise: "budget raised", version: "version begun", freeze: "frozen", unfreeze: "unfrozen", grant: "let in", ungrant: "let out", limit: "limited" };

function tabled(spot, heads, rows) {
  $(spot).replaceChildren(el("thead", {}, el("tr", {}, heads.map((text) => el("th", { scope: "col", text })))), el("tbody", {}, (rows.length ? rows : [["none so far"]]).map((row) => el("tr", {}, row.map((inside, at) => el(at ? "td" : "th", { scope: at ? null : "row", class: inside instanceof Node ? "wrap" : "" }, inside))))));
}

function draw(report) {
  const { table, budget, charges, acts, ledger } = report, kind = Object.keys(budget.cap)[0];
  document.title = `Report on ${table.name} · discreet`;
  $("#made").textContent = `As of ${new Date().toLocaleString("en-US", { dateStyle: "long", timeStyle: "short" })}`;
  $("#name").textContent = table.name;
  $("#about").textContent = [table.description, `version ${table.version}`].filter(Boolean).join(" · ");
  $("#spent").textContent = `${loss(budget.spent)} of ${loss(budget.cap)} is spent, in ${num(charges.length)} ${charges.length === 1 ? "charge" : "charges"}; ${loss(budget.remaining)} is left.`;
  gauge($("#gauge"), budget);
  $("#odds").textContent = table.odds;
  $("#facts").replaceChildren(...factsOf({ ...table, budget }).slice(0, -1).map(([lead, rest]) => el("li", {}, [lead ? el("b", { text: `${lead} ` }) : null, rest])));
  tabled("#charges", ["entry", "when", "analyst", "price", "question", "state"], charges.map((each) => [String(each.number), when(each.at), each.analyst || "anonymous", loss(each.price), el("code", { text: each.question }), each.state]));
  tabled("#acts", ["entry", "when", "what", "about", "by"], acts.map((each) => [String(each.number), when(each.at), WORDS[each.kind] ?? each.kind, el("span", { text: [each.name ?? each.analyst, each.version && `version ${each.version}`, each.cap && loss({ [kind]: each.cap }), each.reason].filter(Boolean).join(" · ") }), each.by ?? ""]));
  $("#ledger").textContent = `${ledger.ok ? "Consistent" : "It does not agree with itself"}: ${num(ledger.entries)} entries, chain and totals recomputed; rollback ${ledger.rollback}; head ${ledger.head.slice(0, 16)}…. ${ledger.problems.map(sentence).join(" ")}`;
  $("#json").onclick = () => download(`report-${table.name}.json`, JSON.stringify(report, null, 2));
}

async function open() {
  if (!token.get()) { leave(); return; }
  menus();
  $("#theme").prepend(icon("moon"));
  $("#theme").addEventListener("click", turned);
  $("#out").addEventListener("click", () => leave());
  $("#print").addEventListener("click", () => print());
  try {
    const me = await get("/api/me");
    if (me.role !== "holder") { location.replace("/ask"); return; }
    $("#who").textContent = `${me.name}, data holder`;
    draw(await get(`/api/tables/${encodeURIComponent(new URLSearchParams(location.search).get("table") ?? "")}/report`));
  } catch (error) {
    if (error instanceof Lost) banner("warn", "off", "No connection.", "The server cannot be reached.", el("button", { type: "button", class: "btn tight", text: "Try now", onclick: () => location.reload() }));
    else if (error.status !== 401) banner("danger", "stop", "There is no report.", sentence(error.message));
  }
}

open();
