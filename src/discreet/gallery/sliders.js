"use strict";
(function () {
  const page = JSON.parse(document.getElementById("values").textContent);
  const at = {};                                   // slider → place of its stop
  const SVG = "http://www.w3.org/2000/svg", BOX = { left: 64, right: 624, top: 12, bottom: 312 };
  let lastWidth = 0;

  function made(kind, attributes, text) {
    const node = document.createElementNS(SVG, kind);
    for (const name in attributes) node.setAttribute(name, attributes[name]);
    if (text !== undefined) node.textContent = text;
    return node;
  }

  function placeOf(by) {                           // the last slider runs fastest
    return by.reduce((place, key) => place * page.sliders.find((each) => each.key === key).stops.length + at[key], 0);
  }

  function written(number) {
    const size = Math.abs(number);
    if (number !== 0 && (size < 0.0001 || size >= 1e7)) return number.toExponential(3).replace("-", "−");
    return String(Number(number.toPrecision(5))).replace("-", "−");
  }

  function scale(ends, log, low, high) {
    const on = (value) => (log ? Math.log10(value) : value), first = on(ends[0]), last = on(ends[1]);
    return (value) => low + ((on(value) - first) / (last - first || 1)) * (high - low);
  }

  function ticks(ends, log) {
    if (log) {
      const found = [];
      for (let power = Math.ceil(Math.log10(ends[0]) - 1e-9); power <= Math.log10(ends[1]) + 1e-9; power++) found.push(10 ** power);
      return found.length > 1 ? found : ends;
    }
    const rough = (ends[1] - ends[0]) / 5, step = 10 ** Math.floor(Math.log10(rough));
    const nice = [1, 2, 5, 10].map((each) => each * step).find((each) => each >= rough);
    const found = [];
    for (let tick = Math.ceil(ends[0] / nice) * nice; tick <= ends[1] + nice / 1e6; tick += nice) found.push(tick);
    return found;
  }

  function draw() {
    const plot = document.getElementById("plot"), shown = page.courses.map((course) => course.values[placeOf(course.by)]);
    const ys = shown.flat().filter((value) => !page.logs[1] || value > 0);
    BOX.right = (lastWidth = Math.max(300, Math.round(plot.getBoundingClientRect().width) || 640)) - 16;
    const across = [Math.min(...page.xs), Math.max(...page.xs)];
    const up = page.logs[1] ? [Math.min(...ys), Math.max(...ys)] : [Math.min(0, ...ys), Math.max(...ys)];
    const x = scale(across, page.logs[0], BOX.left, BOX.right), y = scale(up, page.logs[1], BOX.bottom, BOX.top);
    plot.setAttribute("viewBox", "0 0 " + lastWidth + " 360");   // letters keep their size on a phone
    plot.replaceChildren();
    for (const tick of ticks(up, page.logs[1])) {
      plot.append(made("line", { x1: BOX.left, x2: BOX.right, y1: y(tick), y2: y(tick), class: "grid" }));
      plot.append(made("text", { x: BOX.left - 8, y: y(tick) + 4, "text-anchor": "end" }, written(tick)));
    }
    for (const tick of ticks(across, page.logs[0])) plot.append(made("text", { x: x(tick), y: BOX.bottom + 18, "text-anchor": "middle" }, written(tick)));
    plot.append(made("text", { x: (BOX.left + BOX.right) / 2, y: BOX.bottom + 40, "text-anchor": "middle" }, page.axes[0]));
    plot.append(made("text", { x: 14, y: 160, "text-anchor": "middle", transform: "rotate(-90 14 160)" }, page.axes[1]));
    shown.forEach((values, place) => {
      const points = values.map((value, step) => [x(page.xs[step]), y(value)]).filter((point) => point.every(Number.isFinite));
      plot.append(made("path", { class: "curve", stroke: page.colours[place], "stroke-dasharray": page.dashes[place].join(" "),
        d: points.map((point, step) => (step ? "L" : "M") + point.map((part) => part.toFixed(1)).join(" ")).join("") }));
    });
    if (page.mark) {
      const where = x(Number(page.sliders.find((each) => each.key === page.mark).stops[at[page.mark]]));
      if (Number.isFinite(where)) plot.append(made("line", { x1: where, x2: where, y1: BOX.top, y2: BOX.bottom, class: "mark" }));
    }
    plot.setAttribute("aria-label", page.axes[1] + " against " + page.axes[0] + ": " + page.courses.map((each) => each.name).join(", "));
  }

  let speaking;
  function show() {
    const rows = page.outputs.map((output) => [output.label, written(output.values[placeOf(output.by)])]);
    document.getElementById("outputs").replaceChildren(...rows.map(([label, value]) => {
      const row = document.createElement("tr"), head = document.createElement("th"), cell = document.createElement("td");
      head.scope = "row"; head.textContent = label; cell.textContent = value;
      row.append(head, cell);
      return row;
    }));
    clearTimeout(speaking);
    speaking = setTimeout(() => { document.getElementById("said").textContent = rows.map((row) => row.join(" ")).join("; "); }, 700);
    draw();
  }

  page.sliders.forEach((slider) => {
    at[slider.key] = slider.start;
    const label = document.createElement("label"), name = document.createElement("span");
    const input = document.createElement("input"), told = document.createElement("output");
    name.textContent = slider.label;
    Object.assign(input, { type: "range", min: 0, max: slider.stops.length - 1, step: 1, value: slider.start, id: slider.key });
    const say = () => {
      at[slider.key] = Number(input.value);
      told.textContent = slider.stops[at[slider.key]].replace("-", "−");
      input.setAttribute("aria-valuetext", slider.label + " " + told.textContent);
    };
    input.addEventListener("input", () => { say(); show(); });
    say();
    label.append(name, input, told);
    document.getElementById("sliders").append(label);
  });
  page.courses.forEach((course, place) => {
    const item = document.createElement("li"), line = made("svg", { class: "line", viewBox: "0 0 36 12" });
    line.append(made("line", { x1: 0, x2: 36, y1: 6, y2: 6, stroke: page.colours[place], "stroke-width": 2, "stroke-dasharray": page.dashes[place].join(" ") }));
    item.append(line, course.name);
    document.getElementById("legend").append(item);
  });
  addEventListener("resize", draw);
  show();
})();
