// The quote beside the question: cost, what is left, the ± of every column, what is free, and what no ± covers.
import { $, american, el, few, later, loss, note, num, sentence } from "./kit.js";
import { cellGauges, gauge } from "./gauge.js";
import { meanings } from "./meanings.js";

const inGroup = (isGrouped) => isGrouped ? " in a group, wider in smaller ones" : "";
const BASES = {
  rows_about: (column, isGrouped) => `if about ${num(column.rows)} rows${inGroup(isGrouped)}`,
  assuming: (column, isGrouped) => `if ${num(column.rows)} rows${inGroup(isGrouped)}`, rows_kept: (column, isGrouped) => `if the caps leave ${num(column.rows)} rows${inGroup(isGrouped)}`,
  table: (column, isGrouped) => `if ${num(column.rows)} rows${isGrouped ? " in a group" : ""}`, units: (column, isGrouped) => `if ${num(column.rows)} units${inGroup(isGrouped)}`, table_of_units: (column) => `if ${num(column.rows)} units`,
  rank: () => "places in the order of values", rank_of_units: () => "places in their order", range: () => "parts of the range that is found",
  released: (column, isGrouped) => isGrouped ? `in the smallest group, if it has as few rows as its count allows: ${num(column.rows)}; narrower in larger ones` : "by counts that were released before",
};
const IN_RANKS = new Set(["rank", "rank_of_units"]);
const speak = later(700, (text) => { $("#say").textContent = text; });
const basis = (column, isGrouped) => BASES[column.basis]?.(column, isGrouped) ?? "";
const isTold = (column) => column.plus_minus !== null;

export function showQuote(quote, main, { table, isAnswered = false, add }) {
  const isOver = !quote.affordable, isFree = quote.replay, mine = quote.budget.analyst?.remaining ?? quote.budget.remaining;
  $("#cost").className = `big${isFree ? " free" : isOver ? " over" : ""}`;
  $("#cost").textContent = isFree ? "Free" : loss(quote.cost);
  $("#left").textContent = isFree ? "answered before" : isOver ? `${loss(mine)} is yours to spend` : `leaves ${loss(quote.left_after)} of ${loss(quote.budget.cap)}`;
  gauge($("#gauge"), { ...quote.budget, bite: isFree ? null : quote.cost, leftAfter: quote.left_after, isOver: isOver && !isFree, mine: quote.budget.analyst?.remaining });
  const named = (cell) => { const key = table.columns.find((each) => each.name === table.rules.partition), at = key?.values?.findIndex((each) => String(each) === cell) ?? -1; return key?.labels?.[at] ?? cell; };
  $("#cells").replaceChildren(cellGauges({ cap: quote.budget.cap, before: quote.budget.cells, after: quote.after?.cells, named }));
  const isGrouped = quote.cells !== 1, means = meanings(quote.question), isBought = (name) => quote.free.includes(means[name]?.sql);
  $("#q-cols").replaceChildren(...quote.columns.filter(isTold).map((each) => el("div", {}, [
    el("dt", {}, [el("code", { text: each.name }), means[each.name] ? ` ${means[each.name].words}` : "", el("small", { text: [basis(each, isGrouped), isBought(each.name) && "bought before"].filter(Boolean).join(", ") })]),
    el("dd", {}, [`± ${few(each.plus_minus)}`, isBought(each.name) ? el("span", { class: "tag ok", text: "free" }) : null])])));
  $("#readable").hidden = !quote.smallest_readable_group;
  $("#readable").replaceChildren("Counts are reliable above about ", el("b", { text: `${num(quote.smallest_readable_group ?? 0)} ${quote.counted ?? "rows"}` }), ": there the ± is a tenth of the count.");
  $("#notes").replaceChildren(...notes(quote, { isOver, isFree, mine, add }));
  buttons(quote, main, { isOver, isFree, isAnswered });
  const sizes = quote.columns.filter(isTold).map((each) => `${each.name} plus or minus ${few(each.plus_minus)}`).join(". ");
  speak(isFree ? "Free: answered before." : `Costs ${loss(quote.cost)}, leaves ${loss(quote.left_after)}. ${sizes}.${isOver ? " More than is left." : ""}`);
}

function notes(quote, { isOver, isFree, mine, add }) {
  const found = [], limit = quote.budget.analyst?.limit;
  if (isOver && !isFree) found.push(note("danger", "Costs more than is left.", `${limit ? `Your own limit leaves ${loss(mine)}; the table has ${loss(quote.budget.remaining)}.` : `The table has ${loss(quote.budget.remaining)}.`} Ask for a wider ±, or for something answered before.`));
  if (quote.empty) found.push(note("danger", "No group is left.", "WHERE excludes all of them: asked, it is refused."));
  if (quote.free.length && !isFree) found.push(note("ok", "Bought before, free:", quote.free.join(", ")));
  for (const offer of quote.offers ?? []) found.push(note("", "", `${offer.name} was bought before with ± ${few(offer.free)}, which is free at ${loss(offer.at)} or less; here it is bought anew with ± ${few(offer.bought)}.`));
  if (quote.left_out.length) found.push(note("warn", "Not in the ±.", quote.left_out.map(sentence).join(" "), bounded(quote.warnings, add)));
  for (const warning of quote.warnings.filter((each) => !AT_BOUNDS.test(each) && !/^asking is stopped/.test(each))) found.push(note("", "", sentence(american(warning))));
  return found;
}

// How many values are beyond the bounds can be asked as well.
const AT_BOUNDS = /^AT_BOUNDS\((\w+|"[^"]+")\) asks/;
function bounded(warnings, add) {
  const column = warnings.map((each) => AT_BOUNDS.exec(each)?.[1]).find(Boolean);
  return column ? el("button", { type: "button", class: "link", text: "Also ask how many there are", onclick: () => add(column) }) : null;
}

function buttons(quote, main, { isOver, isFree, isAnswered }) {
  const isClosed = (isOver && !isFree) || quote.empty, isShown = isFree && isAnswered;
  for (const button of [$("#ask"), $("#dock-ask")]) button.disabled = isClosed || isShown;
  $("#rehearse").disabled = quote.empty;
  $("#ask").textContent = isShown ? "Answered, as shown" : isFree ? "Show the answer, free" : `Ask for ${loss(quote.cost)}`;
  $("#rehearse").textContent = "Rehearse on made-up rows, free";
  $("#dock-cost").textContent = isFree ? "Free" : loss(quote.cost);
  const unit = main && IN_RANKS.has(main.basis) ? " in rank" : "";
  $("#dock-pm").textContent = isFree ? "answered before" : isOver ? "more than is left" : `${main ? `± ${few(main.plus_minus)}${unit} · ` : ""}leaves ${loss(quote.left_after)}`;
  $("#dock-ask").textContent = isShown ? "Shown" : isFree ? "Show" : "Ask";
  $("#confirm").hidden = true;
}

export function noQuote(message) {
  $("#quote").hidden = true;
  for (const button of [$("#ask"), $("#dock-ask"), $("#rehearse")]) button.disabled = true;
  $("#ask").textContent = "Nothing to ask yet";
  $("#rehearse").textContent = "Rehearse on made-up rows, free";
  $("#dock-cost").textContent = "Refused";
  $("#dock-pm").textContent = message;
}
