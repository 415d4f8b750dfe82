// The quote beside the question: cost, what is left, the ± of every column, what is free, and what no ± covers.
import { $, el, few, later, loss, note, num } from "./kit.js";
import { gauge } from "./gauge.js";

const BASES = {
  rows_about: (column, isGrouped) => `if about ${num(column.rows)} rows${isGrouped ? " in a group" : ""}`,
  assuming: (column) => `if ${num(column.rows)} rows`, rows_kept: (column) => `if the caps leave ${num(column.rows)} rows`,
  rank: () => "places in the order of values", released: () => "by counts that were released before",
};
const speak = later(700, (text) => { $("#say").textContent = text; });
const basis = (column, isGrouped) => BASES[column.basis]?.(column, isGrouped) ?? "";

export function showQuote(quote, main) {
  const isOver = !quote.affordable, isFree = quote.replay, mine = quote.budget.analyst?.remaining ?? quote.budget.remaining;
  $("#cost").className = `big${isFree ? " free" : isOver ? " over" : ""}`;
  $("#cost").textContent = isFree ? "Free" : loss(quote.cost);
  $("#left").textContent = isFree ? "answered before" : isOver ? `${loss(mine)} is yours to spend` : `leaves ${loss(quote.left_after)} of ${loss(quote.budget.cap)}`;
  gauge($("#gauge"), { ...quote.budget, bite: isFree ? null : quote.cost, leftAfter: quote.left_after, isOver: isOver && !isFree, mine: quote.budget.analyst?.remaining });
  const isGrouped = quote.cells !== 1;
  $("#q-cols").replaceChildren(...quote.columns.filter((each) => each.plus_minus !== null).map((each) => el("div", {}, [
    el("dt", {}, [el("code", { text: each.name }), el("small", { text: basis(each, isGrouped) })]), el("dd", { text: `± ${few(each.plus_minus)}` })])));
  $("#readable").hidden = !quote.smallest_readable_group;
  $("#readable").replaceChildren("Counts are reliable above about ", el("b", { text: `${num(quote.smallest_readable_group ?? 0)} rows` }), ": there the ± is a tenth of the count.");
  $("#notes").replaceChildren(...notes(quote, { isOver, isFree, mine }));
  buttons(quote, main, { isOver, isFree });
  const sizes = quote.columns.filter((each) => each.plus_minus !== null).map((each) => `${each.name} plus or minus ${few(each.plus_minus)}`).join(". ");
  speak(isFree ? "Free: answered before." : `Costs ${loss(quote.cost)}, leaves ${loss(quote.left_after)}. ${sizes}.${isOver ? " More than is left." : ""}`);
}

function notes(quote, { isOver, isFree, mine }) {
  const found = [];
  if (isOver && !isFree) found.push(note("danger", "Costs more than is left.", `${loss(mine)} is yours to spend; the table has ${loss(quote.budget.remaining)}. Ask for a wider ±, or for something answered before.`));
  if (quote.empty) found.push(note("danger", "No group is left.", "WHERE excludes all of them: asked, it is refused."));
  if (quote.free.length && !isFree) found.push(note("ok", "Bought before, free:", quote.free.join(", ")));
  for (const offer of quote.offers ?? []) found.push(note("", "", typeof offer === "string" ? offer : offer.words ?? ""));
  if (quote.left_out.length) found.push(note("warn", "Not in the ±:", quote.left_out.map((each) => `${each[0].toUpperCase()}${each.slice(1)}.`).join(" ")));
  for (const warning of quote.warnings) found.push(note("", "", warning));
  return found;
}

function buttons(quote, main, { isOver, isFree }) {
  const isClosed = (isOver && !isFree) || quote.empty;
  for (const button of [$("#ask"), $("#dock-ask")]) button.disabled = isClosed;
  $("#rehearse").disabled = quote.empty;
  $("#ask").textContent = isFree ? "Show the answer, free" : `Ask for ${loss(quote.cost)}`;
  $("#rehearse").textContent = "Rehearse on made-up rows, free";
  $("#dock-cost").textContent = isFree ? "Free" : loss(quote.cost);
  $("#dock-pm").textContent = isFree ? "answered before" : isOver ? "more than is left" : `${main ? `± ${few(main.plus_minus)} · ` : ""}leaves ${loss(quote.left_after)}`;
  $("#dock-ask").textContent = isFree ? "Show" : "Ask";
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
