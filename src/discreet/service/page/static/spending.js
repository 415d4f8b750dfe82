// Spent budget over time, stacked by analyst, under the cap. Prices arrive as texts; here they are only heights.
import { amount, num, svg } from "./kit.js";

const HIGH = 240, TOP = 26, BOTTOM = 28, LEFT = 40;

const watched = new WeakMap();

export function spending(root, told) {
  const draw = () => root.replaceChildren(told.charges.length ? picture(Math.max(300, root.clientWidth), told.charges, told) : document.createTextNode("Nothing was asked so far."));
  draw();
  watched.get(root)?.disconnect();
  let width = root.clientWidth;
  const watch = new ResizeObserver(() => { if (Math.abs(root.clientWidth - width) > 2) { width = root.clientWidth; draw(); } });
  watched.set(root, watch);
  watch.observe(root);
}

function picture(width, charges, { cap, caps = [], kind, since, from: start = 0 }) {
  const people = [...new Set(charges.map((each) => each.analyst || "anonymous"))].sort(), most = amount(cap), right = width < 560 ? 12 : 150;
  const opened = Math.min(...charges.map((each) => Date.parse(each.at)), since ? Date.parse(since) : Infinity), from = Math.max(opened, start);
  const asked = charges.map((each) => Math.max(from, Date.parse(each.at)));   // what was spent before stands at the left edge
  const times = [from, ...asked, Math.max(Date.now(), ...asked, from + 1)], to = times.at(-1);
  const x = (time) => LEFT + (width - LEFT - right) * (time - from) / (to - from), y = (value) => TOP + (HIGH - TOP - BOTTOM) * (1 - value / (most * 1.08));
  const found = svg("svg", { class: "chart", width, height: HIGH + (right < 100 ? 20 * Math.ceil(people.length / 2) + 8 : 0), role: "img", "aria-label": "Spent budget over time, by analyst. The table below has the numbers." });
  for (const part of [0, 0.25, 0.5, 0.75]) found.append(svg("line", { class: part ? "grid" : "base", x1: LEFT, x2: width - right, y1: y(most * part), y2: y(most * part) }), svg("text", { x: LEFT - 8, y: y(most * part) + 4, "text-anchor": "end", text: num(Number((most * part).toPrecision(3))) }));
  const day = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric" });
  found.append(svg("text", { x: LEFT, y: HIGH - 8, text: day.format(from) }), svg("text", { x: width - right, y: HIGH - 8, "text-anchor": "end", text: day.format(to) }));
  let below = times.map(() => 0);
  people.forEach((name, index) => {
    let own = 0;
    const up = [null, ...charges, null].map((each, at) => { if (each && (each.analyst || "anonymous") === name) own += amount(each.price?.[kind] ?? 0); return below[at] + own; });
    found.append(svg("path", { class: `area s${index % 6 + 1}`, d: area(times, below, up, x, y) }));
    const words = `${name}, ${num(Number(own.toPrecision(4)))}`, last = (below.at(-1) + up.at(-1)) / 2;
    if (right > 100) found.append(svg("text", { class: "lab", x: width - right + 10, y: y(last) + 4, text: words }));
    else found.append(svg("rect", { class: `s${index % 6 + 1}`, x: LEFT + (index % 2) * 150, y: HIGH + 6 + Math.floor(index / 2) * 20, width: 10, height: 10, rx: 2 }), svg("text", { x: LEFT + 16 + (index % 2) * 150, y: HIGH + 15 + Math.floor(index / 2) * 20, text: words }));
    below = up;
  });
  const steps = (caps.length ? caps : [{ at: from, cap }]).map((each) => ({ x: x(Math.max(from, new Date(each.at).getTime())), cap: each.cap }));
  found.append(svg("path", { class: "cap", fill: "none", d: steps.map((each, at) => at ? `H${each.x}V${y(amount(each.cap))}` : `M${LEFT} ${y(amount(each.cap))}`).join("") + `H${width - right}` }));
  steps.forEach((each, at) => { if (at === steps.length - 1 || steps[at + 1].x - each.x > 60) found.append(svg("text", { class: "capt", x: (at ? each.x : LEFT) + 4, y: y(amount(each.cap)) - 6, text: at ? `raised to ${each.cap}` : `cap ${each.cap}` })); });
  return found;
}

function area(times, below, up, x, y) {
  const steps = up.map((value, at) => at ? `H${x(times[at])}V${y(value)}` : `M${x(times[0])} ${y(value)}`).join("");
  const back = below.map((value, at) => [at, value]).reverse().map(([at, value]) => at ? `V${y(value)}H${x(times[at])}V${y(below[at - 1])}` : "").join("");
  return `${steps}L${x(times.at(-1))} ${y(below.at(-1))}${back}L${x(times[0])} ${y(below[0])}Z`;
}
