// What the columns of a question are, in words: read off its text as the server wrote it, for showing only.
const WORDS = { COUNT: "number", AVG: "average", SUM: "total", MEDIAN: "median", MIN: "smallest", MAX: "largest", STDDEV: "spread", VARIANCE: "variance", AT_BOUNDS: "share at the bounds", MODE: "most frequent" };

// The parts of a list at its commas, but for those inside parentheses or quotes.
function parted(text) {
  const found = [""];
  let depth = 0, quote = "";
  for (const letter of text) {
    if (quote) quote = letter === quote ? "" : quote;
    else if (letter === "'" || letter === '"') quote = letter;
    else depth += letter === "(" ? 1 : letter === ")" ? -1 : 0;
    if (letter === "," && !depth && !quote) found.push(""); else found[found.length - 1] += letter;
  }
  return found.map((each) => each.trim());
}

export function meanings(question) {
  const list = /^SELECT ([\s\S]*?) FROM /.exec(question ?? "")?.[1] ?? "";
  return Object.fromEntries(parted(list).map((each) => /^([\s\S]+) AS ("[^"]+"|\w+)$/.exec(each)).filter(Boolean).map(([, sql, name]) => [name.replaceAll('"', ""), { sql, words: inWords(sql) }]));
}

function inWords(sql) {
  if (sql === "COUNT(*)") return "count of rows";
  const [, name, of] = /^([A-Z_]+)\((\w+|"[^"]+")(?:, INTERVAL)?\)$/.exec(sql) ?? [];
  return WORDS[name] ? `${WORDS[name]} of ${of.replaceAll('"', "")}` : sql;
}

// The names of the keys, in their order.
export function keysOf(question) {
  const list = /^SELECT ([\s\S]*?) FROM /.exec(question ?? "")?.[1] ?? "", by = / GROUP BY ([\s\S]*?)(?: HAVING | ORDER BY | LIMIT |$)/.exec(question ?? "")?.[1] ?? "";
  const named = Object.fromEntries(parted(list).map((each) => /^([\s\S]+) AS ("[^"]+"|\w+)$/.exec(each)).filter(Boolean).map(([, sql, name]) => [sql, name]));
  return by ? parted(by).map((each) => (named[each] ?? each).replaceAll('"', "")) : [];
}
