// One control with two ends: "I can spend" and "I need ±". Places on the track are logarithms, which is drawing; the page never
// works out a ± or a price. The end that was set stays when the question changes, the other follows from the quote.
import { $, amount, el, few, sign } from "./kit.js";

const LEAST = 0.005, STEPS = [1, 1.5, 2, 3, 5, 7];
const ROUND = [-3, -2, -1, 0, 1, 2].flatMap((power) => STEPS.map((step) => String(Number((step * 10 ** power).toPrecision(2))))).filter((each) => Number(each) >= LEAST);
const NUMERAL = /^(\d+\/\d+|\d*\.?\d+)$/;

export function makePrice(changed) {
  const price = { kind: "epsilon", pinned: "spend", spend: "0.1", within: null, of: null, most: "1", delta: null };
  const stops = () => [...ROUND.filter((each) => Number(each) < amount(price.most)), price.most];
  const place = (value) => {
    const low = Math.log(LEAST), high = Math.log(Math.max(amount(price.most), 2 * LEAST));
    return Math.round(1000 * Math.max(0, Math.min(1, (Math.log(amount(value)) - low) / (high - low))));
  };
  const nearest = (spot) => stops().reduce((a, b) => Math.abs(place(b) - spot) < Math.abs(place(a) - spot) ? b : a);

  const body = () => {
    const extra = price.delta ? { delta: price.delta } : {};
    return { confidence: $("#confidence").value, ...(price.pinned === "spend" ? { [price.kind]: price.spend, ...extra } : { within: { [price.of]: price.within }, ...extra }) };
  };

  function spend(value, isAtOnce = false) {
    Object.assign(price, { pinned: "spend", spend: value });
    changed(isAtOnce);
  }

  function wire() {
    $("#slider").addEventListener("input", () => { const value = nearest(Number($("#slider").value)); $("#epsilon").value = value; spend(value); });
    $("#slider").addEventListener("change", () => spend(price.spend, true));
    $("#slider").addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 3, PageDown: -3 }[event.key];
      if (!by) return;
      event.preventDefault();
      const all = stops(), at = all.indexOf(nearest(Number($("#slider").value))), next = all[Math.max(0, Math.min(all.length - 1, at + by))];
      $("#slider").value = place(next);
      $("#epsilon").value = next;
      spend(next);
    });
    typed("#epsilon", (text) => spend(text));
    typed("#within", (text) => { Object.assign(price, { pinned: "need", within: text }); changed(); });
    $("#of").addEventListener("change", () => { price.of = $("#of").value; if (price.pinned === "need") price.within = null; changed(true); });
    $("#confidence").addEventListener("change", () => changed(true));
  }

  // Shows a quote at both ends. `main` is the column whose ± stands at the right.
  function show(quote) {
    const cost = quote.takes ?? quote.cost, value = cost[price.kind] ?? price.spend, numbers = quote.columns.filter((each) => each.plus_minus !== null);
    const main = numbers.find((each) => each.name === price.of) ?? numbers[0];
    price.of = main?.name ?? null;
    if (price.pinned === "spend" && document.activeElement !== $("#within")) $("#within").value = main ? few(main.plus_minus) : "";
    if (price.pinned === "need" && document.activeElement !== $("#epsilon")) $("#epsilon").value = value;
    const shown = price.pinned === "spend" ? price.spend : value;
    if (document.activeElement !== $("#epsilon")) $("#epsilon").value = shown;
    if (document.activeElement !== $("#slider")) $("#slider").value = place(shown);
    $("#slider").setAttribute("aria-valuetext", `${sign(price.kind)} ${shown}${main ? `, ${main.name} ± ${few(main.plus_minus)}` : ""}`);
    $("#end-spend").classList.toggle("pinned", price.pinned === "spend");
    $("#end-need").classList.toggle("pinned", price.pinned === "need");
    $("#spend-how").textContent = price.pinned === "spend" ? "you set this" : "follows from the ±";
    $("#need-how").textContent = price.pinned === "need" ? "you set this" : "follows from the price";
    $("#of-row").hidden = numbers.length < 2;
    $("#of").replaceChildren(...numbers.map((each) => el("option", { value: each.name, selected: each === main, text: each.name })));
    return main;
  }

  function about(budget) {
    price.kind = "rho" in budget.cap ? "rho" : "epsilon";
    price.most = (budget.analyst?.remaining ?? budget.remaining)[price.kind] ?? price.most;
    $("#sign").textContent = sign(price.kind);
  }

  const kept = () => { $("#epsilon").value = price.spend; $("#slider").value = place(price.spend); $("#spend-how").textContent = "kept"; $("#need-how").textContent = "no quote yet"; $("#of-row").hidden = true; };
  return { price, body, wire, show, about, kept };
}

function typed(box, act) {
  $(box).addEventListener("input", () => {
    const text = $(box).value.replace(/[,\s]/g, ""), isGood = NUMERAL.test(text) && amount(text) > 0;
    $(box).setAttribute("aria-invalid", String(!isGood));
    if (isGood) act(text);
  });
}
