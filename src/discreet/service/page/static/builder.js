// Questions without writing SQL: a sentence with gaps, which writes the SQL that is asked. SQL written by hand puts it to rest.
import { $, el, icon, num } from "./kit.js";

const STATISTICS = [["COUNT", "Count of rows", "n"], ["AVG", "Average", "m"], ["SUM", "Total", "total"], ["MEDIAN", "Median", "middle"],
  ["MIN", "Smallest", "smallest"], ["MAX", "Largest", "largest"], ["STDDEV", "Spread (standard deviation)", "spread"], ["AT_BOUNDS", "Share at the bounds", "at_bounds"]];
const HOWS = [["=", "is"], [">=", "is at least"], ["<", "is below"]];
const IS_NUMBER = (column) => column.type === "number" || column.type === "integer";
const named = (statistic) => STATISTICS.find(([name]) => name === statistic)[1];

export const quoted = (name) => /^[A-Za-z_]\w*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
const literal = (value, column) => IS_NUMBER(column) ? value : typeof value === "number" ? String(value) : `'${String(value).replaceAll("'", "''")}'`;
export const groupable = (column) => column.type === "category" || column.type === "boolean";

export function makeBuilder(table, changed) {
  const build = { statistics: [["COUNT", "*", "n"]], filters: [], by: "" };
  const column = (name) => table.columns.find((each) => each.name === name);

  const sql = () => {
    const shown = [build.by && quoted(build.by), ...build.statistics.map(([statistic, of, name]) => `${statistic}(${of === "*" ? "*" : quoted(of)}) AS ${name}`)];
    const where = build.filters.map(([of, how, value]) => `${quoted(of)} ${how} ${literal(value, column(of))}`);
    return [`SELECT ${shown.filter(Boolean).join(", ")}`, `FROM ${quoted(table.name)}`, where.length && `WHERE ${where.join(" AND ")}`,
      build.by && `GROUP BY ${quoted(build.by)}`].filter(Boolean).join("\n");
  };
  const again = () => { draw(); changed(sql()); };
  const chip = (content, label, drop) => el("span", { class: "chip" },
    [el("span", {}, content), el("button", { type: "button", "aria-label": `Remove ${label}`, onclick: drop }, icon("x"))]);

  function add(statistic, of) {
    const used = build.statistics.map((each) => each[2]), base = STATISTICS.find(([name]) => name === statistic)[2];
    let name = base;
    for (let more = 2; used.includes(name); more += 1) name = base + more;
    build.statistics.push([statistic, of, name]);
    again();
  }

  function adder(words, fields, act) {
    const box = el("details", { class: "menu add" }, [el("summary", {}, [icon("plus"), words]), el("div", { class: "pop" }, [
      ...fields.map(([label, input, isSilent]) => el("label", { class: "field" }, [el("span", { class: isSilent ? "vh" : "label", text: label }), input])),
      el("button", { type: "button", class: "btn primary tight", text: "Add", onclick: () => { box.open = false; act(); } })])]);
    return box;
  }

  function statisticAdder() {
    const which = el("select", { class: "select" }, STATISTICS.map(([name, words]) => el("option", { value: name, text: words })));
    const numbers = table.columns.filter(IS_NUMBER), of = el("select", { class: "select" }, numbers.map((each) => el("option", { text: each.name })));
    const fit = () => { of.disabled = which.value === "COUNT"; };
    if (numbers.length) which.value = "AVG";
    which.addEventListener("change", fit);
    fit();
    return adder("statistic", [["Statistic", which], ["Column", of]], () => add(which.value, which.value === "COUNT" ? "*" : of.value));
  }

  function filterAdder() {
    const listed = table.columns.filter((each) => IS_NUMBER(each) || groupable(each)), of = el("select", { class: "select" }, listed.map((each) => el("option", { text: each.name })));
    const how = el("select", { class: "select" }, HOWS.map(([sign, words]) => el("option", { value: sign, text: words }))), value = el("span");
    const fit = () => {
      const chosen = column(of.value), values = chosen?.type === "boolean" ? [true, false] : chosen?.values;
      how.disabled = Boolean(values);
      if (values) how.value = "=";
      value.replaceChildren(values ? el("select", { class: "select", "aria-label": "value" }, values.map((each, at) => el("option", { value: at, text: labelled(chosen, each) })))
        : el("input", { class: "input", inputmode: "decimal", "aria-label": "value", placeholder: chosen?.lower !== undefined ? `${num(chosen.lower)} to ${num(chosen.upper)}` : "" }));
    };
    of.addEventListener("change", fit);
    fit();
    const act = () => {
      const chosen = column(of.value), given = value.firstChild.value.trim(), values = chosen.type === "boolean" ? [true, false] : chosen.values;
      if (values) build.filters.push([of.value, "=", values[Number(given)]]);
      else if (/^-?\d*\.?\d+$/.test(given)) build.filters.push([of.value, how.value, given]);
      else return;
      again();
    };
    return adder(build.filters.length ? "condition" : "condition, or keep all rows", [["Keep rows where", of], ["condition", how, true], ["value", value, true]], act);
  }

  function draw() {
    const told = build.statistics.map(([statistic, of], at) => chip(statistic === "COUNT" ? [el("b", { text: "Count" }), " of rows"] : [el("b", { text: named(statistic) }), " of ", el("code", { text: of })],
      named(statistic), () => { build.statistics.splice(at, 1); again(); }));
    $("#stats").replaceChildren(...told, statisticAdder());
    const kept = build.filters.map(([of, how, value], at) => chip([el("code", { text: of }), ` ${HOWS.find(([sign]) => sign === how)[1]} `, el("b", { text: String(value) })],
      `condition on ${of}`, () => { build.filters.splice(at, 1); again(); }));
    $("#filters").replaceChildren(...kept, filterAdder());
    const groups = table.columns.filter(groupable);
    $("#by").replaceChildren(el("option", { value: "", text: "no groups: one answer for all" }),
      ...groups.map((each) => el("option", { value: each.name, selected: each.name === build.by, text: each.values ? `${each.name} (${each.values.length + Number(Boolean(each.other))} groups)` : each.name })));
  }

  $("#by").onchange = () => { build.by = $("#by").value; again(); };
  return {
    sql, draw, again, add,
    group: (name) => { build.by = name; again(); },
    clear: () => { build.statistics = [["COUNT", "*", "n"]]; build.filters = []; build.by = ""; again(); },
  };
}

export const labelled = (column, value) => {
  const at = column?.values?.indexOf(value) ?? -1, labels = column?.labels;
  return Array.isArray(labels) && at >= 0 ? labels[at] : labels?.[value] ?? String(value);
};
