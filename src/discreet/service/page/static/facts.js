// A facts file from what was typed. What is wrong with it the server says, at its key; nothing is guessed and nothing checked here.
const text = (value) => JSON.stringify(value);
const bare = (name) => /^[A-Za-z0-9_-]+$/.test(name) ? name : text(name);
const number = (value) => /^-?\d[\d_]*(\.\d+)?$/.test(value) ? value : text(value);
const pairs = (lines) => lines.split("\n").map((line) => line.trim()).filter(Boolean).map((line) => { const at = line.indexOf("="); return at < 0 ? [line, ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]; });

// The facts as TOML: `given` has the table's words, `columns` what was said of each.
export function factsFile(given, columns) {
  const unit = given.unit !== "column" ? text(given.unit || "TODO") : `{ column = ${text(given.unitColumn)}, max_rows = ${given.maxRows || '"TODO"'} }`;
  const size = !given.rows ? [] : given.neighbours === "change_one" ? [`rows = ${number(given.rows)}`] : [`rows_about = ${number(given.rows)}`];
  const table = ["[table]", `name = ${text(given.name)}`, `source = ${text(given.source)}`, `version = ${text(given.version || "1")}`, `unit = ${unit}`, `neighbours = ${text(given.neighbours || "TODO")}`, ...size,
    ...(given.title ? [`description = ${text(given.title)}`] : [])];
  const budget = ["", "[budget]", `epsilon = ${number(given.epsilon)}`, ...(given.delta ? [`delta = ${number(given.delta)}`] : []), ...(given.perAnalyst ? [`per_analyst = ${number(given.perAnalyst)}`] : []),
    ...(given.perQuestion ? [`max_epsilon_per_question = ${number(given.perQuestion)}`] : []), ...(given.expires ? [`expires = ${given.expires}`] : [])];
  return [...table, ...budget, ...columns.filter((column) => !column.isOut).flatMap(columnFacts)].join("\n") + "\n";
}

function columnFacts(column) {
  const found = ["", `[columns.${bare(column.name)}]`, `type = ${text(column.type || "TODO")}`], isDay = column.type === "date";
  for (const end of ["lower", "upper"]) if (column[end]) found.push(`${end} = ${isDay ? column[end] : number(column[end])}`);
  if (column.type === "category") {
    const listed = pairs(column.values ?? ""), isWhole = listed.every(([value]) => /^-?\d+$/.test(value));
    found.push(`values = [${listed.map(([value]) => isWhole ? value : text(value)).join(", ")}]`);
    if (listed.some(([, label]) => label)) found.push(`labels = [${listed.map(([value, label]) => text(label || value)).join(", ")}]`);
  }
  if (column.blank) found.push(`null = ${column.blank === "drop" ? '"drop"' : number(column.blank)}`);
  if (column.about) found.push(`description = ${text(column.about)}`);
  return found;
}

// The names of columns in a draft of the server's.
export const columnsIn = (draft) => [...draft.matchAll(/^\[columns\.(?:("(?:[^"\\]|\\.)*")|([A-Za-z0-9_-]+))\]/gm)].map(([, quoted, plain]) => quoted ? JSON.parse(quoted) : plain);
