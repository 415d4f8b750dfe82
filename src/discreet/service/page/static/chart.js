// Groups with their intervals: panels beside each other when wide, below each other when not; on a phone a row is two lines.
import { num, svg } from "./kit.js";

const ROW = 30, TALL_ROW = 48, FOOT = 30, GAP = 28, LINE = 16, LETTER = 8.6;   // of a title: how wide a letter is at most, on average

export function chart(root, { rows, panels, words }) {
  const draw = () => root.replaceChildren(picture(Math.max(260, root.clientWidth), { rows, panels, words }));
  draw();
  let width = root.clientWidth;
  new ResizeObserver(() => { if (Math.abs(root.clientWidth - width) > 2) { width = root.clientWidth; draw(); } }).observe(root);
}

function picture(width, { rows, panels, words }) {
  const side = panels.length > 1 && width >= 250 * panels.length, two = width < 480;
  const longest = Math.max(...rows.map((row) => row.label.length)), names = two ? 5 : Math.min(Math.max(64, longest * 8), width * 0.34);
  const each = side ? (width - names - GAP * (panels.length - 1)) / panels.length : width - names - (two ? 5 : 0);
  const titles = panels.map((panel) => wrapped(panel.title, (two ? width : each) / LETTER)), head = 14 + LINE * Math.max(...titles.map((lines) => lines.length));
  const tall = two ? TALL_ROW : ROW, high = head + rows.length * tall + FOOT;
  const found = svg("svg", { class: "chart", width, height: side ? high : high * panels.length, role: "img", "aria-label": words });
  panels.forEach((panel, index) => {
    const place = { lines: titles[index], head, width, side, two, tall, names, each, index, left: side ? names + index * (each + GAP) : names, top: side ? 0 : index * high, high };
    found.append(...panelOf(panel, rows, place));
  });
  return found;
}

function panelOf(panel, rows, place) {
  const { left, top, high, two, each, head, lines } = place, room = Math.min(each * 0.62, Math.max(...rows.map((row) => written(row.cells[place.index]).length)) * 6.9 + 14), plot = each - (two ? 0 : room);
  const cells = rows.map((row) => row.cells[place.index]), { from, to, ticks } = axis(cells, panel);
  const x = (value) => left + plot * (Math.max(from, Math.min(to, value)) - from) / (to - from);
  const kept = plot / ticks.length < 38 ? ticks.filter((_, at) => at % 2 === 0) : ticks;
  const marks = kept.flatMap((tick) => [
    svg("line", { x1: x(tick), x2: x(tick), y1: top + head - 4, y2: top + high - FOOT, class: tick === from && from === 0 ? "base" : "grid" }),
    svg("text", { x: x(tick), y: top + high - FOOT + 17, "text-anchor": two && tick === from ? "start" : two && tick === to ? "end" : "middle", text: short(tick) })]);
  return [...lines.map((words, at) => svg("text", { x: two ? 0 : left, y: top + 16 + at * LINE, class: "head", text: words })), ...marks,
    ...rows.map((row, at) => line(row, at, panel, { ...place, from, to, x }))];
}

// A title in as many lines as it takes, broken between words.
function wrapped(title, most) {
  return title.split(" ").reduce((lines, word) => {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    return lines.length && longer.length <= most ? [...lines.slice(0, -1), longer] : [...lines, word];
  }, []);
}

const written = (cell) => cell.few ? "too few rows" : `${cell.shown} ${cell.pm}`;

function line(row, at, panel, { width, side, two, tall, index, left, top, head, each, from, to, x }) {
  const cell = row.cells[index], start = top + head + at * tall, y = two ? start + 30 : start + tall / 2, words = two ? start + 16 : y + 4.5;
  const group = svg("g", { class: cell.few ? "r few" : "r" }, svg("rect", { class: "hit", x: side ? left - 4 : 0, y: start, width: side ? each + 8 : width, height: tall, rx: 4 }));
  if (!side || index === 0) group.append(svg("text", { x: 0, y: words, class: "lab", text: row.label }));
  const value = svg("text", { class: "val", x: two ? width : left + each, y: words, "text-anchor": "end" }, cell.few ? ["too few rows"] : [cell.shown, svg("tspan", { text: ` ${cell.pm}` })]);
  if (cell.value !== null && !cell.few) group.append(...drawn(cell, panel, index, { y, x, from, to }));
  group.append(value);
  return group;
}

function drawn(cell, panel, index, { y, x, from, to }) {
  const series = `s${index % 6 + 1}`, zero = x(Math.max(from, 0)), found = [];
  if (panel.isCount) found.push(svg("rect", { class: `bar ${series}`, x: zero, y: y - 8, width: Math.max(1, x(cell.value) - zero), height: 16, rx: 2 }));
  else if (cell.value >= from && cell.value <= to) found.push(svg("circle", { class: `dot ${series}`, cx: x(cell.value), cy: y, r: 4 }));
  if (cell.low === null || cell.high === null) return found;
  const [a, b] = [x(cell.low), x(cell.high)];
  const end = (at, isCut, way) => isCut ? `M${at + 5 * way} ${y - 4}L${at} ${y}L${at + 5 * way} ${y + 4}` : `M${at} ${y - 6}V${y + 6}`;
  found.push(svg("path", { class: "whisker", d: `M${a} ${y}H${b}` }), svg("path", { class: "whisker cap", d: end(a, cell.low < from, 1) + end(b, cell.high > to, -1) }));
  return found;
}

// Counts start at zero; everything else is fitted to the groups that can be read.
function axis(cells, panel) {
  const told = comparable(cells.filter((cell) => cell.value !== null && !cell.few), panel), ends = told.flatMap((cell) => [cell.low ?? cell.value, cell.high ?? cell.value]);
  const top = Math.max(...ends, panel.isCount ? 1 : -Infinity), low = panel.isCount ? 0 : Math.min(...ends);
  if (!Number.isFinite(top) || !Number.isFinite(low)) return { from: 0, to: 1, ticks: [0, 1] };
  const span = top - low || Math.abs(top) || 1, unit = 10 ** Math.floor(Math.log10(span / 3));
  const step = [1, 2, 2.5, 5, 10].map((times) => times * unit).find((size) => span / size <= 4) ?? span;
  const from = Math.floor(low / step) * step, ticks = [];
  for (let tick = from; tick < top + step * 0.999; tick += step) ticks.push(Number(tick.toPrecision(8)));
  return { from, to: panel.isCount ? top * 1.03 : ticks.at(-1), ticks: panel.isCount ? ticks.filter((tick) => tick <= top * 1.03) : ticks };
}

// Without those whose intervals are many times as wide as those of most others: these end in arrowheads.
function comparable(cells, panel) {
  const wide = (cell) => cell.low === null || cell.high === null ? 0 : cell.high - cell.low;
  const all = cells.map(wide).sort((a, b) => a - b), usual = all[Math.floor((all.length - 1) / 2)] ?? 0;
  return panel.isCount || !usual ? cells : cells.filter((cell) => wide(cell) <= 8 * usual);
}

const short = (value) => Math.abs(value) >= 1e6 ? `${num(value / 1e6)}M` : Math.abs(value) >= 10_000 ? `${num(value / 1000)}k` : num(value);
