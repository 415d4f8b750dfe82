// A budget as a bar. Amounts arrive from the server as texts and are shown as they came; only widths are worked out here.
import { amount, el, loss, part, sign } from "./kit.js";

const first = (found) => Object.keys(found)[0];

export function gauge(root, { cap, spent, remaining, bite = null, leftAfter = null, isOver = false, mine = null, hasKey = true }) {
  const kind = first(cap), all = amount(cap[kind]) || 1, of = (found) => amount(found?.[kind] ?? 0);
  const percent = (x) => `${Math.max(0, Math.min(100, 100 * x / all)).toFixed(2)}%`;
  const wide = isOver ? of(remaining) : of(bite), own = mine && of(mine) < of(remaining);
  const bar = el("div", { class: "bar", role: "img", "aria-label": words({ cap, remaining, bite, leftAfter, isOver }) },
    [el("i", { class: "spent" }), el("i", { class: bite ? "bite" : "bite none" }), el("b", { class: "mine", hidden: !own })]);
  bar.children[0].style.width = percent(of(spent));
  bar.children[1].style.width = percent(wide);
  if (own) bar.children[2].style.left = percent(of(spent) + of(mine));
  root.classList.add("gauge");
  root.classList.toggle("over", isOver);
  root.classList.toggle("empty", of(remaining) <= 0);
  const keys = [["spent", `spent ${part(spent, kind)}`], bite && ["bite", isOver ? "more than is left" : `this question ${part(bite, kind)}`],
    ["left", leftAfter && bite && !isOver ? `left after ${part(leftAfter, kind)}` : `left ${part(remaining, kind)}`], own && ["own", `your limit, ${sign(kind)} ${part(mine, kind)} more`]];
  root.replaceChildren(bar, el("p", { class: "key", hidden: !hasKey }, keys.filter(Boolean).map(([name, text]) => el("span", {}, [el("i", { class: name }), text]))));
}

function words({ cap, remaining, bite, leftAfter, isOver }) {
  const now = `Budget: ${loss(remaining)} of ${loss(cap)} left`;
  if (!bite) return now;
  return isOver ? `${now}; this question costs more than that` : `${now}; this question takes ${loss(bite)} and leaves ${loss(leftAfter)}`;
}

// What was charged to single cells of a partition, and what this question adds.
export function cellGauges({ cap, before = {}, after = {}, named }) {
  const kind = first(cap), of = (found, cell) => found[cell] ?? { [kind]: "0" };
  const shown = Object.keys({ ...before, ...after });
  return shown.length ? el("details", { class: "cells" }, [el("summary", { class: "small", text: `By cell: ${shown.length} of them were asked by themselves` }),
    el("ul", { role: "list" }, shown.map((cell) => {
      const bar = el("div", { class: "slim" }), was = of(before, cell), is = of(after, cell), more = amount(is[kind]) - amount(was[kind]);
      gauge(bar, { cap, spent: was, remaining: cap, bite: more > 0 ? { [kind]: String(more) } : null, hasKey: false });
      return el("li", {}, [el("span", { class: "row apart tiny" }, [named(cell), el("span", { class: "quiet", text: loss(is) })]), bar]);
    }))]) : "";
}
