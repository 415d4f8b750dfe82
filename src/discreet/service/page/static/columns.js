// The columns of a table that is brought: a card for each, in which a person says what is public about it. Nothing comes from rows.
import { $, el, icon, num, sentence } from "./kit.js";

export const TYPES = [["number", "number"], ["integer", "whole number"], ["category", "category"], ["boolean", "yes or no"], ["date", "date"], ["timestamp", "date and time"], ["text", "text"]];
const BOUNDED = new Set(["number", "integer", "date", "timestamp"]), NUMERIC = new Set(["number", "integer"]);
const emptied = (type) => [["own", "no part of sums, a group of its own"], ["drop", "leave the row out"], ...(type === "category" || NUMERIC.has(type) ? [["value", "count it as a value"]] : [])];
const lines = (text) => (text ?? "").split("\n").map((each) => each.trim()).filter(Boolean);

export function makeColumns(root, changed) {
  let columns = [], isByUnit = false;

  const field = (column, key, label, { help = "", isLong = false, ...more } = {}) => {
    const id = `${column.name}-${key}`, input = el(isLong ? "textarea" : "input", { class: "input", id, autocomplete: "off", "aria-describedby": `${id}-err`, ...more, oninput: (event) => { column[key] = event.target.value.trim(); changed(); } });
    input.value = column[key] ?? "";
    return el("div", { class: "field" }, [el("label", { for: id, text: label }), input, el("span", { class: "err", id: `${id}-err` }), help ? el("span", { class: "help", text: help }) : null]);
  };
  const chooser = (column, key, label, options) => {
    const id = `${column.name}-${key}`;
    return el("div", { class: "field narrow" }, [el("label", { for: id, text: label }), el("select", { class: "select", id, onchange: (event) => { column[key] = event.target.value; redrawn(column); } },
      options.map(([value, text]) => el("option", { value, text, selected: (column[key] ?? "") === value }))), el("span", { class: "err", id: `${id}-err` })]);
  };
  const tick = (column, key, label) => el("label", { class: "tick" }, [el("input", { type: "checkbox", checked: Boolean(column[key]), onchange: (event) => { column[key] = event.target.checked; changed(); } }), label]);

  function bounds(column) {
    const how = { date: { type: "date" }, timestamp: { type: "datetime-local" } }[column.type] ?? { inputmode: "decimal" };
    const unknown = tick(column, "isUnbounded", "Nobody knows them: no sums and no averages, but for bounds that a question buys");
    $("input", unknown).addEventListener("change", () => redrawn(column));
    if (column.isUnbounded) return [unknown];
    return [el("div", { class: "pair" }, [field(column, "lower", "Least", how), field(column, "upper", "Most that counts", how)]), unknown,
      el("p", { class: "help" }, [el("b", { text: "Where to take them from: " }), "the questionnaire, a law, common sense; never the rows. Values beyond count as the bound. Twice as wide is about twice the ±."])];
  }

  function ofType(column) {
    if (BOUNDED.has(column.type)) return bounds(column);
    if (column.type === "category") return [field(column, "values", "Categories, one on each line: value = label", { isLong: true, rows: 5, help: "All of them, from the code book, also those that may be empty. All are shown in every answer." }), tick(column, "other", "Other values are a group of their own, called other")];
    if (column.type === "boolean") return [el("div", { class: "pair" }, [field(column, "yes", "What means yes", { placeholder: "1, t, true, yes" }), field(column, "no", "What means no", { placeholder: "0, f, false, no" })])];
    if (column.type === "text") return [el("p", { class: "help", text: "Text can be counted and filtered. Grouping by it takes a δ, and only keys that many share are told." })];
    return [];
  }

  // What an empty value means: in sums and averages, and as a group.
  function blanks(column) {
    const found = [chooser(column, "blank", "If a value is empty", [["", "choose"], ...emptied(column.type)])];
    if (column.blank === "value") found.push(field(column, "stands", "It counts as", { placeholder: column.type === "category" ? "one of the categories" : "a number within the bounds" }));
    if (column.blank === "own") found.push(field(column, "nullLabel", "That group is called", { placeholder: "none" }));
    return found;
  }

  function written(column) {
    const parts = { number: [["decimal", "Before decimals", "."], ["thousands", "Between thousands", "nothing"]], date: [["format", "How dates are written", "%Y-%m-%d"]], timestamp: [["format", "How they are written", "ISO 8601"], ["zone", "By which clocks", "UTC"]], text: [["maxLength", "Letters that count", "256"]] };
    const own = parts[column.type === "integer" ? "number" : column.type];
    return own ? [el("details", {}, [el("summary", { class: "small link", text: "How it is written in the file" }), el("div", { class: "pair more" }, own.map(([key, label, placeholder]) => field(column, key, label, { placeholder })))])] : [];
  }

  function inside(column) {
    if (column.isOut) return [el("button", { type: "button", class: "btn tight", text: "Describe it after all", onclick: () => { column.isOut = false; redrawn(column); } })];
    const types = el("fieldset", { class: "field" }, [el("legend", { class: "label", text: "What kind of values?" }), el("div", { class: "types" }, TYPES.map(([type, words]) => el("label", {}, [
      el("input", { type: "radio", name: `${column.name}-type`, checked: column.type === type, onchange: () => { column.type = type; redrawn(column); } }), words]))), el("span", { class: "err", id: `${column.name}-type-err` })]);
    return [types, ...ofType(column), ...(column.type ? [el("div", { class: "pair" }, blanks(column))] : []), ...(isByUnit && column.type ? [tick(column, "perUnit", "All rows of one have the same value of it")] : []),
      ...(column.type ? [field(column, "about", "In words, for analysts")] : []), ...written(column),
      el("div", { class: "row" }, el("button", { type: "button", class: "btn tight plain", text: "Leave this column out", onclick: () => { column.isOut = true; redrawn(column); } }))];
  }

  function card(column) {
    const box = el("details", { class: "col", open: column.isShown, ontoggle: () => { column.isShown = box.open; } }, [el("summary", {}, [el("span", { class: "dotn" }), el("code", { text: column.name }), el("span", { class: "small muted kind" }),
      el("span", { class: "sum" }), el("span", { class: "caret", "aria-hidden": "true" })]), el("div", { class: "inside" }, inside(column))]);
    column.box = box;
    return box;
  }

  function redrawn(column) {
    const old = column.box, at = document.activeElement?.id;
    column.isShown = true;
    old.replaceWith(card(column));
    (at && document.getElementById(at) ? document.getElementById(at) : $("summary", column.box)).focus();
    changed();
  }

  function summary(column) {
    if (column.isOut) return "left out: does not exist for analysts";
    if (!column.type) return "to be described";
    const listed = lines(column.values).map((each) => each.split("=").at(-1).trim());
    const told = column.type === "category" ? `${listed.slice(0, 4).join(", ")}${listed.length > 4 ? ` and ${listed.length - 4} more` : ""}` : column.lower || column.upper ? `${end(column.lower)} to ${end(column.upper)}` : "";
    return [column.isUnbounded ? "without bounds" : told, column.about].filter(Boolean).join(" · ");
  }
  const end = (text) => !text ? "?" : /^-?\d+(\.\d+)?$/.test(text) ? num(Number(text)) : text;

  function marked(column, problems) {
    const mark = $(".dotn", column.box), shown = TYPES.find(([type]) => type === column.type)?.[1] ?? "no type yet";
    mark.className = `dotn ${column.isOut ? "" : problems.length ? "todo" : "done"}`;
    mark.replaceChildren(column.isOut ? "–" : problems.length ? "!" : icon("check"));
    $(".kind", column.box).textContent = column.isOut ? "" : [shown, problems.length && `${problems.length} to do`].filter(Boolean).join(" · ");
    $(".sum", column.box).textContent = summary(column);
    for (const place of column.box.querySelectorAll(".err")) place.textContent = "";
    for (const each of problems) {
      const key = each.key?.split(".").at(-1), spot = document.getElementById(`${column.name}-${{ null: "blank" }[key] ?? key}-err`);
      if (spot && (column[key] !== undefined || key === "type" || column.isShown)) spot.textContent = sentence(each.hint || each.message);
    }
  }

  return {
    all: () => columns,
    open: (names) => { columns = names.map((name) => ({ name, type: "", isOut: false })); root.replaceChildren(...columns.map(card)); },
    byUnit: (isOn) => { if (isOn !== isByUnit) { isByUnit = isOn; for (const column of columns) { const old = column.box; old.replaceWith(card(column)); } } },
    marked,
    missing: () => columns.filter((column) => !column.isOut).flatMap(missing),
    summary,
    counted: () => { const used = columns.filter((column) => !column.isOut); return columns.length ? `${used.filter((column) => column.type).length} of ${used.length} described, ${columns.length - used.length} left out` : ""; },
  };
}

// What only a person can say, and has not said yet.
function missing(column) {
  const lack = (key, message, hint) => ({ key: `columns.${column.name}${key ? `.${key}` : ""}`, message, hint });
  if (!column.type) return [lack("", "has no type", "or leave the column out")];
  const found = [];
  if (BOUNDED.has(column.type) && !column.isUnbounded) {
    if (!column.lower) found.push(lack("lower", "has no lower bound", "what is the least it can be?"));
    if (!column.upper) found.push(lack("upper", "has no upper bound", "what is the most that should count?"));
  }
  if (column.type === "category" && !lines(column.values).length) found.push(lack("values", "has no categories", "one on each line, such as 1 = North"));
  if (!column.blank) found.push(lack("null", "does not say what an empty value means", `choose: ${emptied(column.type).map(([, words]) => words).join("; or ")}`));
  return found;
}
