// What is public about a table in plain sentences, and moments as people say them.
import { loss, num, sentence } from "./kit.js";

const day = (text) => new Date(`${text.slice(0, 10)}T12:00:00`).toLocaleDateString("en-US", { month: "short", day: "numeric", year: "numeric" });

export function when(text) {
  const then = new Date(text), clock = then.toLocaleTimeString("en-US", { hour: "numeric", minute: "2-digit" });
  return then.toDateString() === new Date().toDateString() ? `Today, ${clock}` : `${then.toLocaleDateString("en-US", { month: "short", day: "numeric" })}, ${clock}`;
}

// Sentences, each as [what stands out, the rest].
export function factsOf(table) {
  const isColumn = table.unit.kind === "column", who = isColumn ? `Each ${table.unit.column} is protected,` : "Each row is protected.";
  const change = table.neighbours === "add_remove" ? "if any one of them is left out" : "if any one of them is changed";
  return [
    [who, `${isColumn ? "with all of its rows. " : ""}No answer changes by much ${change}.`],
    sized(table),
    ...(table.words.caps ?? []).map((text) => ["", sentence(text)]),
    [`${loss(table.budget?.cap)} for everybody,`, "for the life of the table. Nothing refills."],
    ...(table.rules.partition ? [[`Cells of ${table.rules.partition}`, "are charged side by side: questions about one cost the others nothing."]] : []),
    [`Version ${table.version}${table.rules.expires ? "," : "."}`, table.rules.expires ? `open until ${day(table.rules.expires)}.` : ""],
    ["", table.odds],
  ];
}

function sized(table) {
  if (table.rows !== undefined) return [`${num(table.rows)} rows,`, "which is public."];
  if (table.units !== undefined) return [`${num(table.units)} of them,`, "which is public."];
  if (table.rows_about !== undefined) return [`About ${num(table.rows_about)} rows.`, "The exact number is not public."];
  return ["", "How many rows there are is not public."];
}
