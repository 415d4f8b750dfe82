// The budget of a table that is brought: how much, in which measure, what it means as odds, and what it buys. All figures are the server's.
import { $, el, few, num, sign, svg } from "./kit.js";

const KINDS = [["epsilon", "ε", "everything is pure: the plainest promise"], ["delta", "ε and δ", "for keys that nobody listed, and Gaussian noise"], ["rho", "ρ", "many questions with Gaussian noise add up better"]];
const CHOICES = { epsilon: ["0.1", "0.5", "1", "2", "4", "10"], delta: ["0.1", "0.5", "1", "2", "4", "10"], rho: ["0.005", "0.05", "0.1", "0.5", "1", "2"] };

export function makeBudget(changed) {
  const budget = { kind: "epsilon", amounts: { epsilon: "1", delta: "1", rho: "0.1" } };
  const letter = () => sign(budget.kind === "rho" ? "rho" : "epsilon");

  function draw() {
    const button = (text, isOn, act) => el("button", { type: "button", "aria-pressed": String(isOn), text, onclick: () => { act(); draw(); changed(); } });
    $("#kinds").replaceChildren(...KINDS.map(([kind, text]) => button(text, kind === budget.kind, () => { budget.kind = kind; })));
    $("#kind-how").textContent = KINDS.find(([kind]) => kind === budget.kind)[2];
    $("#choose").replaceChildren(...CHOICES[budget.kind].map((each) => button(`${letter()} ${each}`, each === budget.amounts[budget.kind], () => { budget.amounts[budget.kind] = each; $("#b-own").value = ""; })));
    $("#b-own-label").textContent = `Another ${letter()}`;
    $("#delta-field").hidden = budget.kind !== "delta";
  }

  $("#b-own").addEventListener("input", () => { const text = $("#b-own").value.trim(); if (text) { budget.amounts[budget.kind] = text; draw(); } });
  draw();
  return {
    told: () => `${letter()} ${budget.amounts[budget.kind]}`,
    given: () => ({ [budget.kind === "rho" ? "rho" : "epsilon"]: budget.amounts[budget.kind], ...(budget.kind === "delta" ? { delta: $("#b-delta").value.trim() || "1e-6" } : {}) }),
  };
}

// What the server says of the budget: odds in words and dots, and the ± that it buys.
export function showWorth(table) {
  const most = Number(/at most (\d+) in 100/.exec(table.odds)?.[1] ?? 50), [before, after] = table.odds.split(/at most \d+ in 100/);
  $("#worth").hidden = false;
  $("#odds").replaceChildren(`${before}at most `, el("b", { text: `${most} in 100` }), after ?? ".");
  $("#dots").replaceChildren(dots(most));
  $("#buys").hidden = !table.buys?.length;
  $("#buys-head").textContent = table.rows_about ?? table.rows ? `What it buys on about ${num(table.rows_about ?? table.rows)} rows` : "What it buys";
  $("#buys-list").replaceChildren(...(table.buys ?? []).map((each) => el("li", {}, [`${each.what[0].toUpperCase()}${each.what.slice(1)}`, el("b", { text: each.plus_minus < 1 && each.rows === undefined ? "exact, 95 times in 100" : `± ${few(each.plus_minus)}` })])));
}

function dots(most) {
  const found = svg("svg", { class: "dots", width: 232, height: 62, role: "img", "aria-label": `Of 100 guesses, 50 are right without the table, and at most ${most} with every answer` });
  for (let at = 0; at < 100; at += 1) found.append(svg("circle", { cx: 6 + (at % 20) * 11.5, cy: 6 + Math.floor(at / 20) * 12.5, r: 4.4, class: at < 50 ? "prior" : at < most ? "more" : "" }));
  return found;
}
