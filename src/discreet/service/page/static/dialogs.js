// A question to the data holder before something that cannot be undone: native dialogs, each with its words, fields and two buttons.
import { el } from "./kit.js";

// Fields are [name, label, attributes] for a text, [name, label, attributes, options] for a choice; boxes are [name, label, isOn].
export function form({ title, words = "", fields = [], boxes = [], legend = "", yes, isDanger = false, extra = [] }) {
  const inputs = new Map(fields.map(([name, , attributes, options]) => [name, options
    ? el("select", { class: "select", name, ...attributes }, options.map(([value, text]) => el("option", { value, text })))
    : el("input", { class: "input", name, autocomplete: "off", ...attributes })]));
  const ticks = boxes.map(([name, label, isOn]) => [name, el("input", { type: "checkbox", checked: isOn }), label]);
  const body = el("form", { method: "dialog" }, [el("h2", { text: title }), words ? el("p", { class: "small", text: words }) : null,
    ...fields.map(([name, label]) => el("label", { class: "field" }, [el("span", { class: "label", text: label }), inputs.get(name)])),
    boxes.length ? el("fieldset", { class: "field" }, [el("legend", { class: "label", text: legend }), ...ticks.map(([, input, label]) => el("label", { class: "tick" }, [input, label]))]) : null,
    el("div", { class: "actions" }, [...extra.map(([value, text]) => el("button", { class: "btn danger", value, formnovalidate: true, text })),
      el("button", { class: "btn push", value: "no", formnovalidate: true, text: "Cancel" }), el("button", { class: isDanger ? "btn danger" : "btn primary", value: "yes", text: yes })])]);
  return shown(body, title, () => ({ ...Object.fromEntries([...inputs].map(([name, input]) => [name, input.value.trim()])), ticked: ticks.filter(([, input]) => input.checked).map(([name]) => name) }));
}

// A token is shown this once: Escape does not close what shows it.
export function token(name, value, copy) {
  const kept = el("button", { class: "btn primary", value: "yes", text: "I have kept it" });
  const body = el("form", { method: "dialog" }, [el("h2", { text: `Token for ${name}` }), el("p", { text: "It is shown this once. Only its hash is kept; if it is lost, make another." }),
    el("pre", { class: "code token", tabindex: 0, id: "token", text: value }), el("div", { class: "actions" }, [el("button", { type: "button", class: "btn", text: "Copy", onclick: () => copy(value, "Token") }), kept])]);
  return shown(body, `Token for ${name}`, () => ({}), true);
}

// A text to look at and take along.
export function text(title, words, value, copy) {
  const body = el("form", { method: "dialog" }, [el("h2", { text: title }), el("p", { class: "small", text: words }), el("pre", { class: "code tall", tabindex: 0, role: "region", "aria-label": title, text: value }),
    el("div", { class: "actions" }, [el("button", { type: "button", class: "btn", text: "Copy", onclick: () => copy(value, title) }), el("button", { class: "btn primary", value: "yes", text: "Close" })])]);
  return shown(body, title, () => ({}));
}

function shown(body, title, values, isHeld = false) {
  const dialog = document.body.appendChild(el("dialog", { "aria-label": title }, body));
  if (isHeld) dialog.addEventListener("cancel", (event) => event.preventDefault());
  dialog.showModal();
  return new Promise((done) => dialog.addEventListener("close", () => {
    const act = dialog.returnValue || "no", found = values();
    dialog.remove();
    done(act === "no" ? null : { act, ...found });
  }));
}
