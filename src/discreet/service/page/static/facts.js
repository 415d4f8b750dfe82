// A facts file from what was typed. What is wrong with it the server says, at its key; nothing is guessed and nothing checked here.
const text = (value) => JSON.stringify(value);
const bare = (name) => /^[A-Za-z0-9_-]+$/.test(name) ? name : text(name);
const number = (value) => /^-?\d[\d_]*(\.\d+)?(e-?\d+)?$/.test(value) ? value : text(value);
const pairs = (lines) => lines.split("\n").map((line) => line.trim()).filter(Boolean).map((line) => { const at = line.indexOf("="); return at < 0 ? [line, ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]; });
const listed = (words) => words.split(",").map((each) => each.trim()).filter(Boolean);
const some = (key, value, as = text) => value ? [`${key} = ${as(value)}`] : [];

// The facts as TOML: `given` has the table's words, `columns` what was said of each.
export function factsFile(given, columns) {
  const caps = [["max_rows", given.maxRows], ["max_groups", given.maxGroups], ["max_rows_per_group", given.maxRowsPerGroup]].filter(([, value]) => value).map(([key, value]) => `${key} = ${number(value)}`);
  const unit = given.unit !== "column" ? text(given.unit || "TODO") : `{ ${[`column = ${text(given.unitColumn)}`, ...caps].join(", ")} }`;
  const isPublic = given.neighbours === "change_one", size = !given.rows ? [] : [`${isPublic ? (given.unit === "column" ? "units" : "rows") : "rows_about"} = ${number(given.rows)}`];
  const table = ["[table]", `name = ${text(given.name)}`, `source = ${text(given.source)}`, `version = ${text(given.version || "1")}`, `unit = ${unit}`, `neighbours = ${text(given.neighbours || "TODO")}`, ...size,
    ...some("people", given.people), ...some("description", given.title)];
  const csv = given.csv.length ? ["", "[csv]", ...given.csv] : [];
  const budget = ["", "[budget]", ...some("epsilon", given.epsilon, number), ...some("delta", given.delta, number), ...some("rho", given.rho, number), ...some("partition", given.partition),
    ...some("per_analyst", given.perAnalyst, number), ...some("max_epsilon_per_question", given.perQuestion, number), ...some("expires", given.expires, (day) => day)];
  return [...table, ...csv, ...budget, ...columns.filter((column) => !column.isOut).flatMap(columnFacts)].join("\n") + "\n";
}

function columnFacts(column) {
  const found = ["", `[columns.${bare(column.name)}]`, `type = ${text(column.type || "TODO")}`], as = { date: (day) => day, timestamp: (moment) => moment.length === 16 ? `${moment}:00` : moment }[column.type] ?? number;
  if (["number", "integer", "date", "timestamp"].includes(column.type) && !column.isUnbounded) for (const end of ["lower", "upper"]) found.push(...some(end, column[end], as));
  if (column.type === "category") found.push(...categories(column));
  if (column.type === "boolean") found.push(...some("true", column.yes, (words) => `[${listed(words).map(text).join(", ")}]`), ...some("false", column.no, (words) => `[${listed(words).map(text).join(", ")}]`));
  if (column.blank === "drop") found.push('null = "drop"');
  if (column.blank === "value") found.push(`null = ${/^-?\d+(\.\d+)?$/.test(column.stands ?? "") ? column.stands : text(column.stands ?? "")}`);
  if (column.blank === "own") found.push(...some("null_label", column.nullLabel));
  if (["number", "integer"].includes(column.type)) found.push(...some("decimal", column.decimal), ...some("thousands", column.thousands));
  if (["date", "timestamp"].includes(column.type)) found.push(...some("format", column.format), ...(column.type === "timestamp" ? some("zone", column.zone) : []));
  if (column.type === "text") found.push(...some("max_length", column.maxLength, number));
  if (column.perUnit) found.push("per_unit = true");
  return [...found, ...some("description", column.about)];
}

function categories(column) {
  const all = pairs(column.values ?? ""), isWhole = all.length && all.every(([value]) => /^-?\d+$/.test(value));
  return [`values = [${all.map(([value]) => isWhole ? value : text(value)).join(", ")}]`, ...(all.some(([, label]) => label) ? [`labels = [${all.map(([value, label]) => text(label || value)).join(", ")}]`] : []), ...(column.other ? ["other = true"] : [])];
}

// The names of columns in a draft of the server's, and how its CSV file is written.
export const columnsIn = (draft) => [...draft.matchAll(/^\[columns\.(?:("(?:[^"\\]|\\.)*")|([A-Za-z0-9_-]+))\]/gm)].map(([, quoted, plain]) => quoted ? JSON.parse(quoted) : plain);
export const csvIn = (draft) => (/^\[csv\]\n((?:(?!\[).*\n?)*)/m.exec(draft)?.[1] ?? "").split("\n").map((line) => line.trim()).filter((line) => line && !line.startsWith("#"));
