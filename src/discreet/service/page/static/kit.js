// Nodes, numbers and small pieces that every page shares. Never markup from strings: names, labels and reasons are hostile text.
const SVG = "http://www.w3.org/2000/svg";

function put(node, attributes = {}, children = []) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || (value === false && !name.startsWith("aria-"))) continue;
    if (name === "text") node.textContent = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : String(value));
  }
  node.append(...[children].flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

export const el = (tag, attributes, children) => put(document.createElement(tag), attributes, children);
export const svg = (tag, attributes, children) => put(document.createElementNS(SVG, tag), attributes, children);
export const $ = (selector, root = document) => root.querySelector(selector);
export const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

// ---- numbers are shown as they came; only separators are added, and digits beyond the fourth that a ± cannot carry
const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 6 });
export const num = (x) => whole.format(x).replace("-", "−");
export const few = (x) => num(Number(Number(x).toPrecision(3)));
export const amount = (text) => { const [above, below = "1"] = String(text).split("/"); return Number(above) / Number(below); };  // for drawing only

const SIGNS = { epsilon: "ε", rho: "ρ", delta: "δ" };
export const sign = (name) => SIGNS[name] ?? name;
// As it came, but for fractions that are decimals, a δ that is mostly zeros, and digits that nobody reads.
function decimal(text, name) {
  const found = amount(text), said = String(text);
  if (name === "delta" && found > 0 && found < 0.001) return found.toExponential().replace(/^(\d\.\d{3})\d+/, "$1…");
  if (said.includes("/") && Number(found.toFixed(6)) === found) return String(found);
  return /\.\d{7,}$/.test(said) && found >= 0.0001 ? `${said.slice(0, said.search(/[1-9]/) + 7)}…` : said;
}
const isTold = ([name, value], _, all) => name !== "delta" || amount(value) !== 0 || all.length === 1;   // a δ of nothing says nothing
const ORDER = ["epsilon", "delta", "rho"];
export const loss = (found) => Object.entries(found ?? {}).sort(([a], [b]) => ORDER.indexOf(a) - ORDER.indexOf(b)).filter(isTold).map(([name, value]) => `${sign(name)} ${decimal(value, name)}`).join(", ") || "nothing";
export const part = (found, kind) => decimal(found[kind] ?? "0", kind);

// Sentences of the server, with thousands as this page writes them.
export const american = (text) => String(text).replace(/(\d) (?=\d{3}(?!\d))/g, "$1,");
export const sentence = (text) => { const said = american(text); return `${said[0]?.toUpperCase() ?? ""}${said.slice(1)}${/[.!?]$/.test(said) ? "" : "."}`; };

// A remedy in the words of this page: {delta=1e-6} is "δ 1e-6".
const WORDS = { epsilon: (x) => `ε ${x}`, delta: (x) => `δ ${x}`, rho: (x) => `ρ ${x}`, within: (x) => `a ± of ${x}`, assuming: (x) => `${x} rows in a group, under More choices`,
  max_rows: (x) => `at most ${x} rows of each, under More choices`, max_groups: (x) => `at most ${x} groups for each, under More choices`, value_intervals: () => "the intervals of medians, under More choices" };
export const remedy = (body) => american((body.remedy ?? body.hint ?? "").replace(/\{(\w+)(?:=([^}]*))?\}/g, (all, name, value) => WORDS[name]?.(value) ?? all.slice(1, -1)));

// ---- icons and notes
const PATHS = {
  warn: "M9 2.2 16.6 15.6H1.4ZM9 7v4M9 13.2v.2", stop: "M6 2h6l4 4v6l-4 4H6l-4-4V6ZM6.5 6.5l5 5M11.5 6.5l-5 5",
  info: "M9 2a7 7 0 1 0 0 14A7 7 0 0 0 9 2ZM9 8v4.5M9 5.3v.2", check: "M3.5 9.5 7 13l7.5-8", copy: "M6 6h9v9H6ZM12 6V3H3v9h3",
  down: "M9 2.5v9M5 8l4 4 4-4M3 15.5h12", again: "M14.5 6.5A6 6 0 1 0 15 10M15 3v4h-4", lock: "M4.5 8h9v7h-9ZM6.2 8V5.6a2.8 2.8 0 0 1 5.6 0V8",
  off: "M2 7a10 10 0 0 1 14 0M4.8 10a6 6 0 0 1 8.4 0M9 14v.2M3 3l12 12", moon: "M14.5 11A6.3 6.3 0 0 1 7 3.5a6.3 6.3 0 1 0 7.5 7.5Z",
  masks: "M2.5 4.5h13v4a6.5 6.5 0 0 1-13 0ZM5.5 7.5h2M10.5 7.5h2M6.5 11.2c1.6 1 3.4 1 5 0", snow: "M9 2v14M3 5.5l12 7M15 5.5l-12 7",
  plus: "M9 3.5v11M3.5 9h11", x: "M4.5 4.5l9 9M13.5 4.5l-9 9",
};
const LINE = { fill: "none", stroke: "currentColor", "stroke-width": "1.6", "stroke-linecap": "round", "stroke-linejoin": "round" };
export const icon = (name) => svg("svg", { viewBox: "0 0 18 18", "aria-hidden": "true", focusable: "false" }, svg("path", { d: PATHS[name], ...LINE }));

const FACES = { warn: "warn", danger: "stop", ok: "check", "made-up": "masks" };
export const note = (kind, head, text, extra) => el("div", { class: `note ${kind}` }, [
  icon(FACES[kind] ?? "info"), el("p", {}, [head ? el("strong", { text: `${head} ` }) : null, text]), extra]);

export function banner(kind, symbol, head, text, ...acts) {
  const inside = el("div", { class: `banner ${kind}` }, [icon(symbol), el("span", {}, [el("strong", { text: `${head} ` }), text]), el("span", { class: "row push" }, acts)]);
  $("#banner").replaceChildren(...(kind ? [inside] : []));
}

// ---- words of SQL, painted
const KEY = /^(select|from|where|group|by|as|and|or|not|in|between|like|ilike|is|null|having|order|limit|filter|asc|desc|per|unit|case|when|then|else|end|join|on|with|over)$/i;
export const painted = (sql) => sql.split(/("[^"]*"|'[^']*'|[A-Za-z_]\w*|\d[\d.]*)/).map((part, at, all) => {
  const kind = KEY.test(part) ? "k" : /^[A-Za-z_]/.test(part) && /^\s*\(/.test(all[at + 1] ?? "") ? "f" : /^['\d]/.test(part) ? "l" : "";
  return kind ? el("span", { class: kind, text: part }) : document.createTextNode(part);
});

// ---- doing things
let toastEnds;
export function toast(text) {
  const box = $(".toast") ?? document.body.appendChild(el("div", { class: "toast", role: "status" }));
  box.hidden = false;
  box.textContent = text;
  clearTimeout(toastEnds);
  toastEnds = setTimeout(() => { box.hidden = true; }, 2600);
}

export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${what} copied`);
  } catch {
    toast("This browser does not let pages copy: select the text instead");
  }
}

export function download(name, text, type = "application/json") {
  const link = el("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
}

export const later = (wait, act) => { let timer; return (...words) => { clearTimeout(timer); timer = setTimeout(() => act(...words), wait); }; };

export function menus() {
  document.addEventListener("click", (event) => { for (const open of $$("details.menu[open]")) if (!open.contains(event.target)) open.open = false; });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") for (const open of $$("details.menu[open]")) { open.open = false; $("summary", open).focus(); }
  });
}
