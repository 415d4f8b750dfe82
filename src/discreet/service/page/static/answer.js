// The answer before it is paid for (its shape), while it runs, and when it is there: chart, table, what the ± covers.
import { get } from "./api.js";
import { labelled } from "./builder.js";
import { chart } from "./chart.js";
import { $, copy, download, el, few, icon, loss, note, num, painted, sentence, svg, toast } from "./kit.js";
import { keysOf, meanings } from "./meanings.js";

const percent = (confidence) => `${num(100 * Number(confidence))}%`;

function head(title, tags = [], acts = []) {
  $("#a-head").textContent = title;
  $("#a-tags").replaceChildren(...tags);
  $("#a-acts").replaceChildren(...acts);
}

// ---- before

export function unreadable() {
  head("Answer");
  $("#answer").classList.remove("made-up");
  $("#a-body").replaceChildren(el("p", { class: "muted small", text: "The shape of the answer will be shown here as soon as the question can be read." }));
}

const MOST_GHOSTS = 60, OF_UNITS = new Set(["units", "table_of_units"]);

export function shape(quote) {
  head("Answer");
  $("#answer").classList.remove("made-up");
  const columns = quote.columns.filter((each, at, all) => each.plus_minus !== null && (each.basis !== "table" || each.rows === 1000 || all.filter((one) => one.name === each.name).length === 1)), count = columns.find((each) => each.basis === "none"), means = meanings(quote.question);
  const keys = keysOf(quote.question), groups = quote.groups.length ? quote.groups : quote.cells === 1 ? [[]] : [];
  const words = !keys.length ? "" : quote.cells === 0 ? "Which groups there are is not public: only those that many share are told. " : `All ${num(quote.cells)} groups are released, empty ones too. `;
  const title = (each) => el("th", { scope: "col", class: "num" }, [el("code", { text: each.name }), means[each.name] ? el("small", { text: means[each.name].words }) : null]);
  const isSized = (each) => each.rows && (keys.length || each.basis === "table"), sized = keys.length ? columns.filter(isSized).map((each) => each.name) : [];
  const pm = (each) => `${each.rows ? "about ± " : "± "}${few(each.plus_minus)}${each.basis === "rank" ? " in rank" : isSized(each) ? ` at ${num(each.rows)} ${OF_UNITS.has(each.basis) ? "units" : "rows"}` : ""}`;
  const known = sized.length ? `The ± of ${sized.join(" and ")} depends on how large a group is: it is wider in smaller groups than the one told here, and narrower in larger ones. The numbers are what you pay for.` : "The ± are known beforehand; the numbers are what you pay for.";
  $("#a-body").replaceChildren(el("div", { class: "ghost-head" }, [el("p", { class: "small muted" }, [el("b", { text: "This is what the answer will look like. " }), words,
    known]), count ? reading(count.plus_minus) : null]),
  groups.length && groups.length <= MOST_GHOSTS ? scrolling("Shape of the answer", el("table", { class: "data" }, [
    el("thead", {}, el("tr", {}, [keys.length ? el("th", { scope: "col", text: keys.join(" · ") }) : null, ...columns.flatMap((each) => [title(each), el("th", { scope: "col", text: `± at ${percent(quote.confidence)}` })])])),
    el("tbody", {}, groups.map((group) => el("tr", {}, [keys.length ? el("th", { scope: "row", text: group.join(" · ") }) : null, ...columns.flatMap((each) => [
      el("td", { class: "num blank" }, [el("span", { "aria-hidden": "true", text: "· · ·" }), el("span", { class: "vh", text: "not asked yet" })]),
      el("td", { class: "pm", text: pm(each) })])])))])) : "");
}

// Three made-up counts under the quoted ±: what can be told apart at this price?
function reading(pm) {
  const sizes = [20, 100, 500], width = 250, x = (value) => 36 + (width - 40) * Math.max(0, Math.min(560, value)) / 560;
  const picture = svg("svg", { class: "chart", width, height: 66, role: "img", "aria-label": `Groups of 20, 100 and 500 rows, each with ± ${few(pm)}` });
  sizes.forEach((size, at) => {
    const y = 12 + at * 21;
    picture.append(svg("g", { class: size < pm * 10 ? "few" : "" }, [svg("text", { x: 28, y: y + 4, "text-anchor": "end", text: num(size) }), svg("rect", { class: "bar s1", x: x(0), y: y - 6, width: x(size) - x(0), height: 12, rx: 2 }),
      svg("path", { class: "whisker", d: `M${x(size - pm)} ${y}H${x(size + pm)}M${x(size - pm)} ${y - 4}v8M${x(size + pm)} ${y - 4}v8` })]));
  });
  return el("figure", { class: "reading" }, [el("figcaption", { text: `What ± ${few(pm)} looks like on a group of` }), picture]);
}

export function running(word) {
  head("Answer", [el("span", { class: "tag", text: word })]);
  const words = word === "queued" ? "Others are before you. Closing this page loses nothing: the answer will be under Your questions."
    : "Charged and written to the ledger. Now the rows are read. Closing this page loses nothing: the answer will be under Your questions.";
  $("#a-body").replaceChildren(el("div", { class: "running" }, [el("p", { class: "small muted", text: words }), ...Array.from({ length: 5 }, () => el("div", { class: "skeleton" }))]));
}

export function failed(body, cost) {
  head("Answer", [el("span", { class: "tag danger", text: "fault" })]);
  const reference = body.reference ?? "";
  $("#a-body").replaceChildren(note("danger", "Something went wrong after the charge.", `${cost ? `${loss(cost)} stays charged.` : "What was charged stays charged."} Nothing about the rows was told. The data holder can look it up by its reference ${reference}.`,
    reference ? el("button", { type: "button", class: "btn tight", text: "Copy the reference", onclick: () => copy(reference, "Reference") }) : null));
}

// ---- after

export function showAnswer(answer, table) {
  const isMadeUp = Boolean(answer.rehearsed), keys = answer.columns.filter((each) => each.kind === "key"), numbers = answer.columns.filter((each) => each.kind !== "key");
  $("#answer").classList.toggle("made-up", isMadeUp);
  const means = meanings(answer.question), tag = isMadeUp ? el("span", { class: "tag made-up" }, [icon("masks"), "made-up rows"]) : answer.replayed ? el("span", { class: "tag ok" }, [icon("again"), "replayed, free"]) : el("span", { class: "tag bite", text: `${loss(answer.cost)} charged` });
  head(isMadeUp ? "Rehearsal" : "Answer", [tag], isMadeUp ? [] : [copying(answer), keeping(answer)]);
  const rows = answer.rows.map((row, at) => rowOf(row, at, { answer, keys, numbers, table }));
  const foot = isMadeUp ? note("made-up", "Nothing here is about the table.", "These rows were made up from the public facts, so every group looks alike. It is free, and cannot be cited.") : footer(answer, rows);
  $("#a-body").replaceChildren(...(keys.length ? grouped(answer, rows, { keys, numbers, isMadeUp }) : [single(rows[0], numbers)]), foot);
  if (keys.length && rows.length <= 60 && numbers.length) {
    const words = `${numbers.map((each) => each.name).join(", ")} by ${keys.map((each) => each.name).join(", ")}, with ${percent(answer.confidence)} intervals. The table below has the same numbers.`;
    chart($("#a-body .plot"), { rows, words, panels: numbers.map((each) => ({ title: [each.name, means[each.name]?.words].filter(Boolean).join(", "), isCount: each.kind === "count" })) });
  }
}

function rowOf(row, at, { answer, keys, numbers, table }) {
  const hidden = answer.too_few?.[at] ?? [];
  const cell = (column) => {
    const value = row[column.name], [low, high] = answer.intervals[at]?.[column.name] ?? [null, null], rank = answer.rank_intervals?.[at]?.[column.name];
    const isNumber = typeof value === "number", half = answer.half_widths[at]?.[column.name] ?? null;
    return { value: isNumber ? value : null, low, high, few: hidden.includes(column.name), shown: isNumber ? fitted(value, half ?? span(low, high)) : named(column, value, table), pm: spread({ half, low, high, rank }) };
  };
  return { label: keys.map((column) => named(column, row[column.name], table)).join(" · "), cells: numbers.map(cell) };
}

// A key in words: its label, the bin it stands for, or what rows without a value are called.
function named(column, value, table) {
  if (value === null || value === undefined) return column.labels?.null ?? (column.kind === "key" ? "none" : "–");
  if (column.width) return `${num(value)} to ${num(Number((value + column.width).toPrecision(12)))}`;
  return labelled(column.labels ? column : table.columns.find((each) => each.name === column.name), value);
}

// Behind a number: its ±; its ends where these are not equally far; places in the order of values where only these are known.
function spread({ half, low, high, rank }) {
  if (half !== null) return `± ${few(half)}`;
  const end = (value) => fitted(value, span(low, high));
  if (low !== null || high !== null) return `${low === null ? "−∞" : end(low)} … ${high === null ? "∞" : end(high)}`;
  return rank ? `± ${num(rank[1])} in rank` : "";
}
const span = (low, high) => low === null || high === null ? null : (high - low) / 2;   // for the number of digits only

// As many digits as the ± carries: two of its own.
function fitted(value, half) {
  if (!half || Number.isInteger(value)) return num(value);
  return new Intl.NumberFormat("en-US", { maximumFractionDigits: Math.max(0, Math.min(6, 1 - Math.floor(Math.log10(half)))) }).format(value).replace("-", "−");
}

const scrolling = (words, inside) => el("div", { class: "scroll table", tabindex: 0, role: "region", "aria-label": words }, inside);

function single(row, numbers) {
  return el("dl", { class: "ones" }, row.cells.map((cell, at) => el("div", {}, [el("dt", { class: "small muted", text: numbers[at].name }),
    el("dd", { class: "one" }, cell.few ? ["too few rows"] : [cell.shown, el("small", { text: ` ${cell.pm}` })]),
    cell.low === null || cell.few ? null : el("dd", { class: "small quiet", text: `${few6(cell.low)} … ${few6(cell.high)}` })])));
}
const few6 = (x) => num(Number(Number(x).toPrecision(6)));

function grouped(answer, rows, { keys, numbers, isMadeUp }) {
  const cells = (row) => row.cells.flatMap((cell) => [el("td", { class: cell.few ? "num few" : "num", text: cell.few ? "too few rows" : cell.shown }), el("td", { class: cell.few ? "pm few" : "pm", text: cell.few ? "" : cell.pm })]);
  return [isMadeUp ? el("div", { class: "stamp", "aria-hidden": "true" }, el("span", { text: "MADE-UP ROWS" })) : "", el("div", { class: "plot" }),
    scrolling("Answer as a table", el("table", { class: "data" }, [
      el("thead", {}, el("tr", {}, [el("th", { scope: "col", text: keys.map((each) => each.name).join(" · ") }), ...numbers.flatMap((each) => [el("th", { scope: "col", class: "num", text: each.name }), el("th", { scope: "col", text: percent(answer.confidence) })])])),
      el("tbody", {}, rows.map((row) => el("tr", {}, [el("th", { scope: "row", text: row.label }), ...cells(row)])))]))];
}

function footer(answer, rows) {
  const part = (title, text) => el("div", {}, [el("h3", { text: title }), text]);
  const sure = percent(answer.confidence), times = `${num(100 * Number(answer.confidence))} of 100`;
  const example = rows.flatMap((row) => row.cells.map((cell) => [row.label, cell])).find(([, cell]) => !cell.few && cell.value !== null && cell.low !== null && cell.high !== null);
  const read = example ? `${example[0] ? `${example[0]}: ` : ""}noise was added on purpose, so ${example[1].shown} is not the exact number. It lies between ${few6(example[1].low)} and ${few6(example[1].high)}: such a statement is right in ${times} cases. ` : "";
  const all = answer.simultaneous ? "for all numbers at once" : "for each number by itself; all of them hold at once less often than that";
  const ranks = answer.rank_intervals?.length ? " A ± in rank says how many places in the order of values it may be off." : "";
  return el("div", { class: "foot" }, [
    part("What the ± means", `${read}It covers the noise and the rounding, at ${sure}, ${all}.${ranks}`),
    part("What it does not cover", [...answer.left_out.map((text) => `${sentence(text)} `), "Who is not in the table, and wrong values in it."].join("")),
    rows.some((row) => row.cells.some((cell) => cell.few)) ? part("Too few rows", "By their released counts these groups may be empty, so that nothing can be read off them.") : null,
    answer.warnings.length ? part("Worth knowing", answer.warnings.map(sentence).join(" ")) : null,
    el("p", { class: "all" }, [el("span", {}, ["answer ", el("code", { text: answer.id })])])]);
}

// ---- taking it along

const shell = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const flat = (sql) => sql.replace(/\s*\n\s*/g, " ");
const priceOf = (answer) => Object.entries(Object.values(answer.cost).some((each) => each !== "0") ? answer.cost : answer.paid ?? answer.cost);
const COPIES = {
  SQL: (answer) => $("#sql").value,
  Python: (answer, at) => `import discreet as dc\n\ntable = dc.connect("${at}/${answer.table}")   # the token: DISCREET_TOKEN\ntable.ask("""\n${$("#sql").value}\n""", ${priceOf(answer).map(([name, value]) => `${name}="${value}"`).join(", ")})`,
  "command line": (answer, at) => `discreet ask ${at}/${answer.table} \\\n  ${shell(flat($("#sql").value))} \\\n  ${priceOf(answer).map(([name, value]) => `--${name} ${value}`).join(" ")}`,
  curl: (answer, at) => `curl -X POST ${at}/api/tables/${encodeURIComponent(answer.table)}/ask \\\n  -H "Authorization: Bearer $DISCREET_TOKEN" \\\n  -H "Content-Type: application/json" \\\n  -d ${shell(JSON.stringify({ sql: $("#sql").value, ...Object.fromEntries(priceOf(answer)) }))}`,
};

function copying(answer) {
  const code = el("pre", { class: "code", tabindex: 0, role: "region", "aria-label": "What is copied" }), text = () => COPIES[chosen](answer, location.origin);
  let chosen = "SQL";
  const pick = (name) => { chosen = name; code.replaceChildren(...painted(text())); for (const each of tabs.children) each.setAttribute("aria-pressed", String(each.textContent === name)); };
  const tabs = el("div", { class: "seg", role: "group", "aria-label": "Copy as" }, Object.keys(COPIES).map((name) => el("button", { type: "button", text: name, onclick: () => pick(name) })));
  pick("SQL");
  return el("details", { class: "menu" }, [el("summary", { class: "btn tight" }, [icon("copy"), "Copy as"]), el("div", { class: "pop wide stack" }, [
    el("div", { class: "row apart" }, [tabs, el("button", { type: "button", class: "btn primary tight", text: "Copy", onclick: () => copy(text(), chosen) })]), code,
    el("p", { class: "small quiet", text: "Asked again at this price or a lower one, it is free." })])]);
}

function keeping(answer) {
  const item = (words, kind, act) => el("button", { type: "button", class: "item", onclick: act }, [words, el("span", { class: "tiny quiet", text: kind })]);
  const receipt = async () => { try { download(`receipt-${answer.id}.json`, JSON.stringify(await get(`/api/answers/${answer.id}/receipt`), null, 2)); } catch (error) { toast(error.message); } };
  return el("details", { class: "menu" }, [el("summary", { class: "btn tight" }, [icon("down"), "Download"]), el("div", { class: "pop" }, [item("Receipt, signed", ".json", receipt),
    item("Numbers and intervals", ".csv", () => download(`answer-${answer.id}.csv`, asCsv(answer), "text/csv")), item("Answer", ".json", () => download(`answer-${answer.id}.json`, JSON.stringify(answer, null, 2)))])]);
}

function asCsv(answer) {
  const field = (value) => value === null || value === undefined ? "" : /[",\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value);
  const heads = answer.columns.flatMap((each) => each.kind === "key" ? [each.name] : [each.name, `${each.name}_low`, `${each.name}_high`]);
  const lines = answer.rows.map((row, at) => answer.columns.flatMap((each) => each.kind === "key" ? [row[each.name]] : [row[each.name], ...(answer.intervals[at]?.[each.name] ?? [null, null])]));
  return [heads, ...lines].map((line) => line.map(field).join(",")).join("\r\n");
}
