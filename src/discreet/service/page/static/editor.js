// The SQL box: painted text behind a see-through textarea, and refusals at their place in the text.
import { $, american, el, painted, remedy as said } from "./kit.js";

export function paint(error = null) {
  const text = $("#sql").value, at = error?.position ?? -1, length = at < 0 ? 0 : wordAt(text, at).length || 1;
  const parts = at < 0 ? painted(text) : [...painted(text.slice(0, at)), el("span", { class: "bad", text: text.slice(at, at + length) }), ...painted(text.slice(at + length))];
  $("#paint").replaceChildren(...parts, "\n");
  $("#sql").setAttribute("aria-invalid", String(Boolean(error)));
}

const wordAt = (text, at) => /^("[^"]*"|\w+)?/.exec(text.slice(at))[0];

export function refuse(error, written) {
  paint(error);
  if (!error) { $("#refused").replaceChildren(); return; }
  const text = $("#sql").value, at = error.position ?? -1, start = text.lastIndexOf("\n", at - 1) + 1;
  const where = at < 0 ? null : el("pre", {}, [`${text.slice(start).split("\n")[0]}\n${" ".repeat(at - start)}`, el("b", { text: `^${"~".repeat(Math.max(0, wordAt(text, at).length - 1))}` })]);
  const place = at < 0 ? "" : ` (line ${text.slice(0, at).split("\n").length}, column ${at - start + 1})`;
  $("#refused").replaceChildren(el("div", { class: "refused" }, [where,
    el("p", {}, [el("strong", { text: `Refused: ${american(error.message)}` }), `${place}. Nothing was charged.`]), remedy(error, at, written)]));
}

function remedy(error, at, written) {
  if (!error.hint) return null;
  const word = /^write (\w+|"[^"]+")$/.exec(error.hint)?.[1], text = $("#sql").value;
  if (!word || at < 0) { const words = said(error); return el("p", { text: `${words[0].toUpperCase()}${words.slice(1)}.` }); }
  const mend = () => { $("#sql").setRangeText(word, at, at + wordAt(text, at).length, "end"); written(); $("#sql").focus(); };
  return el("p", { class: "row" }, el("button", { type: "button", class: "btn tight", text: `Write ${word} instead`, onclick: mend }));
}

export function insert(text, written) {
  const box = $("#sql");
  box.focus();
  const isGlued = /\w$/.test(box.value.slice(0, box.selectionStart));
  box.setRangeText((isGlued ? " " : "") + text, box.selectionStart, box.selectionEnd, "end");
  if (text.endsWith("()")) box.selectionStart = box.selectionEnd = box.selectionEnd - 1;
  written();
}
