// One control with two ends: "I can spend" and "I need ±". Places on the track are logarithms, which is drawing; the page never
// works out a ± or a price. The end that was set stays when the question changes, the other follows from the quote.
import { $, amount, el, few, loss, sign } from "./kit.js";

const LEAST = { epsilon: 0.005, rho: 0.00001 }, STEPS = [1, 1.5, 2, 3, 5, 7];   // ρ is about the square of an ε
const ROUND = [-5, -4, -3, -2, -1, 0, 1, 2].flatMap((power) => STEPS.map((step) => plain(step, power)));
const DELTAS = [-12, -11, -10, -9, -8, -7, -6, -5, -4, -3].map((power) => `1e${power}`);
const NUMERAL = /^(\d+\/\d+|\d*\.?\d+)$/;

// 1.5 and −3 as "0.0015": a price is a decimal text, never a float that was worked with.
function plain(step, power) {
  return (step * 10 ** power).toFixed(Math.max(0, 1 - power)).replace(/\.?0+$/, "");
}

export function makePrice(changed) {
  const price = { kind: "epsilon", pinned: "spend", spend: "0.1", within: null, of: null, most: "1", delta: "" };
  const least = () => LEAST[price.kind];
  const stops = () => [...ROUND.filter((each) => Number(each) >= least() && Number(each) < amount(price.most)), price.most];
  const place = (value) => {
    const low = Math.log(least()), high = Math.log(Math.max(amount(price.most), 2 * least()));
    return Math.round(1000 * Math.max(0, Math.min(1, (Math.log(amount(value)) - low) / (high - low))));
  };
  const nearest = (spot) => stops().reduce((a, b) => Math.abs(place(b) - spot) < Math.abs(place(a) - spot) ? b : a);

  const body = () => {
    const at = price.pinned === "spend" ? { [price.kind]: price.spend, ...(price.delta ? { delta: price.delta } : {}) } : { within: { [price.of]: price.within } };
    return { confidence: $("#confidence").value, ...at, ...choices() };
  };

  function spend(value, isAtOnce = false) {
    Object.assign(price, { pinned: "spend", spend: value });
    ends();
    changed(isAtOnce);
  }

  // Which end was set, and what follows from it.
  function ends() {
    const isNeed = price.pinned === "need";
    $("#end-spend").classList.toggle("pinned", !isNeed);
    $("#end-need").classList.toggle("pinned", isNeed);
    $("#spend-how").textContent = isNeed ? "follows from the ±" : "you set this";
    $("#need-how").textContent = isNeed ? "you set this" : "follows from the price";
    $("#delta").disabled = isNeed;
    $("#delta-how").textContent = isNeed ? "a ± that you need is priced without δ" : "for keys that nobody listed, and Gaussian noise";
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
    typed("#within", (text) => { Object.assign(price, { pinned: "need", within: text }); ends(); changed(); });
    $("#of").addEventListener("change", () => { price.of = $("#of").value; if (price.pinned === "need") price.within = null; changed(true); });
    $("#confidence").addEventListener("change", () => changed(true));
    $("#delta").addEventListener("change", () => { price.delta = $("#delta").value; changed(true); });
    for (const box of ["#simultaneous", "#value-intervals"]) $(box).addEventListener("change", () => changed(true));
    for (const box of ["#assuming", "#max-rows", "#max-groups"]) $(box).addEventListener("input", () => {
      const isGood = /^\d*$/.test($(box).value.trim());
      $(box).setAttribute("aria-invalid", String(!isGood));
      if (isGood) changed();
    });
  }

  // Shows a quote at both ends. `main` is the column whose ± stands at the right.
  function show(quote) {
    const cost = quote.takes ?? quote.cost, value = cost[price.kind] ?? price.spend, numbers = quote.columns.filter((each, at, all) => each.plus_minus !== null && all.findIndex((one) => one.name === each.name) === at);
    const main = numbers.find((each) => each.name === price.of) ?? numbers[0];
    price.of = main?.name ?? null;
    if (price.pinned === "spend" && document.activeElement !== $("#within")) $("#within").value = main ? few(main.plus_minus) : "";
    if (price.pinned === "need" && document.activeElement !== $("#epsilon")) $("#epsilon").value = value;
    const shown = price.pinned === "spend" ? price.spend : value;
    if (document.activeElement !== $("#epsilon")) $("#epsilon").value = shown;
    if (document.activeElement !== $("#slider")) $("#slider").value = place(shown);
    $("#slider").setAttribute("aria-valuetext", `${sign(price.kind)} ${shown}${main ? `, ${main.name} ± ${few(main.plus_minus)}` : ""}`);
    ends();
    $("#of-row").hidden = numbers.length < 2;
    $("#of").replaceChildren(...numbers.map((each) => el("option", { value: each.name, selected: each === main, text: each.name })));
    return main;
  }

  function about(budget) {
    const mine = budget.analyst?.remaining ?? budget.remaining, kind = "rho" in budget.cap ? "rho" : "epsilon";
    if (kind !== price.kind) Object.assign(price, { kind, spend: kind === "rho" ? "0.005" : "0.1", pinned: "spend" });
    price.most = mine[kind] ?? price.most;
    $("#sign").textContent = sign(kind);
    deltas(amount(mine.delta ?? 0), mine.delta);
  }

  // A δ is there to be spent where the budget has one: on keys that nobody listed, or on Gaussian noise.
  function deltas(left, all) {
    $("#delta-row").hidden = !left;
    const found = left ? [...DELTAS.filter((each) => Number(each) < left), all] : [];
    if (!found.includes(price.delta)) price.delta = "";
    $("#delta").replaceChildren(...["", ...found].map((each) => el("option", { value: each, selected: each === price.delta, text: each ? loss({ delta: each }).slice(2) + (each === all ? ", all" : "") : "none" })));
  }

  // A tenth of what is left, for whoever needs one and has chosen none.
  function someDelta() {
    const all = [...$("#delta").options].map((each) => each.value).filter(Boolean), left = amount(all.at(-1) ?? 0);
    return all.findLast((each) => amount(each) <= left / 9.99) ?? all[0] ?? null;
  }
  const spendDelta = (value) => { price.delta = value; $("#delta").value = value; if (price.pinned !== "spend") price.pinned = "spend"; changed(true); };

  const kept = () => { if (price.pinned === "spend") $("#within").value = ""; $("#epsilon").value = price.spend; $("#slider").value = place(price.spend); $("#spend-how").textContent = "kept"; $("#need-how").textContent = "no quote yet"; $("#of-row").hidden = true; };
  return { price, body, wire, show, about, kept, someDelta, spendDelta };
}

function typed(box, act) {
  $(box).addEventListener("input", () => {
    const text = $(box).value.replace(/[,\s]/g, ""), isGood = NUMERAL.test(text) && amount(text) > 0;
    $(box).setAttribute("aria-invalid", String(!isGood));
    if (isGood) act(text);
  });
}

// What else may stand beside a question; nothing that was not chosen.
function choices() {
  const whole = (box) => /^[1-9]\d*$/.test($(box).value.trim()) ? Number($(box).value.trim()) : undefined;
  return Object.fromEntries(Object.entries({ simultaneous: $("#simultaneous").checked || undefined, value_intervals: $("#value-intervals").checked || undefined,
    assuming: whole("#assuming"), max_rows: whole("#max-rows"), max_groups: whole("#max-groups") }).filter(([, value]) => value !== undefined));
}
