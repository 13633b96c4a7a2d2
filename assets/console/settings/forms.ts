// Forms and ratings: what visitors are asked before or after their first message, and how they rate.

import { h, iconButton } from "../ui/dom";
import { check, choice } from "./controls";
import { form, type Control } from "./form";
import type { Page } from "./page";
import { button, labelled, section } from "./settings";
import { tr } from "../ui/texts";

interface Field {
  name: string;
  type: string;
  label: string;
  required: boolean;
  options?: string[] | null;
}

interface PreChat {
  required: boolean;
  timing: string;
  fields: Field[];
}

const types = [
  ["text", tr("Text")], ["email", tr("E-mail")], ["phone", tr("Telephone")], ["textarea", tr("Long text")], ["select", tr("Choice")],
    ["checkbox", tr("Checkbox")],
] as const;
const defaultFields: Field[] = [
  { name: "name", type: "text", label: tr("Name"), required: true },
  { name: "email", type: "email", label: tr("E-mail"), required: true },
];

interface Row {
  node: HTMLElement;
  get(): Field;
}

const fieldName = (label: string): string =>
  label.toLowerCase().normalize("NFD").replace(/[^a-z0-9]+/g, "_").replace(/^_|_$/g, "") || "field";

// question edits one field of the form.
function question(f: Field, remove: (r: Row) => void): Row {
  const label = h("input", { class: "input", maxlength: 200, value: f.label, "aria-label": tr("Question"), required: true });
  const type = h("select", { class: "input", "aria-label": tr("Type"), onchange: () => (options.hidden = type.value !== "select") },
    ...types.map(([value, text]) => h("option", { value, selected: value === f.type }, text)));
  const required = h("input", { type: "checkbox", checked: f.required });
  const options = h("textarea", { class: "input", rows: 3, "aria-label": tr("Choices, one per line"),
    placeholder: tr("One choice per line"),
    hidden: f.type !== "select" });
  options.value = (f.options ?? []).join("\n");
  const one: Row = {
    node: h("li", {}, label, type, h("label", { class: "check" }, required, " " + tr("Required")),
      iconButton("cross", f.label ? tr("Remove {name}", { name: f.label }) : tr("Remove the question"), () => remove(one)), options),
    get: () => ({
      name: f.name || fieldName(label.value), type: type.value, label: label.value.trim(), required: required.checked,
      ...(type.value === "select" ? { options: options.value.split("\n").map((o) => o.trim()).filter(Boolean) } : {}),
    }),
  };
  return one;
}

// preChat edits the form as a whole; null is no form.
function preChat(): Control {
  const on = h("input", { type: "checkbox", onchange: () => draw() });
  const timing = h("select", { class: "input" }, h("option", { value: "before_first_message" }, tr("Before the first message")),
    h("option", { value: "after_first_message" }, tr("After the first message")));
  const mandatory = h("input", { type: "checkbox" });
  const list = h("ul", { class: "form-fields" });
  let rows: Row[] = [];

  const changed = (): void => void node.dispatchEvent(new Event("input", { bubbles: true }));
  const remove = (row: Row): void => {
    rows = rows.filter((r) => r !== row);
    row.node.remove();
    changed();
    more.focus();
  };
  const put = (fields: Field[]): void => {
    rows = fields.map((f) => question(f, remove));
    list.replaceChildren(...rows.map((r) => r.node));
  };
  const more = button(tr("Add a question"), () => {
    const one = question({ name: "", type: "text", label: "", required: false }, remove);
    rows.push(one);
    list.append(one.node);
    one.node.querySelector("input")?.focus();
    changed();
  });
  const body = h("div", {}, labelled(tr("When"), timing), list, more,
    h("label", { class: "check must" }, mandatory, " " + tr("Visitors cannot skip it")));
  const draw = (): void => {
    body.hidden = !on.checked;
    if (on.checked && !rows.length) put(defaultFields);
  };
  const node = h("div", {}, h("label", { class: "check" }, on, " " + tr("Ask visitors who they are")), body);
  return {
    node,
    get: () => (on.checked ? { required: mandatory.checked, timing: timing.value, fields: rows.map((r) => r.get()) } : null),
    set(value) {
      const stored = value as PreChat | null;
      on.checked = !!stored;
      mandatory.checked = stored?.required ?? false;
      timing.value = stored?.timing ?? "before_first_message";
      put(stored?.fields ?? []);
      draw();
    },
    lock: (locked) => void (node.inert = locked),
  };
}

export function formsPage(): Page {
  const all = form([
    { name: "preChatForm", label: tr("Form"), control: preChat() },
    { name: "csatEnabled", label: tr("Visitors can rate a conversation"), control: check() },
    { name: "csatTrigger", label: tr("They are asked"),
      control: choice([["off", tr("Never automatically")], ["on_close", tr("When a conversation is closed")],
        ["on_disconnect", tr("When they leave")],
        ["manual", tr("When you ask, by !csat")]]), hint: tr("Once per conversation, and only visitors who got an answer.") },
    { name: "csatStyle", label: tr("They choose from"), control: choice([["faces", tr("Five faces")], ["stars", tr("Five stars")]]) },
  ], (n) => [
    section(tr("Form"),
      h("p", { class: "hint" },
        tr("Answers appear beside the conversation and in its threads. A field called email or name identifies the visitor. " +
          "[privacy policy](https://example.com/privacy) in a question becomes a link.")),
      n["preChatForm"]!),
    section(tr("Ratings"), n["csatEnabled"]!, n["csatTrigger"]!, n["csatStyle"]!),
  ]);
  return { node: all.node, form: all };
}
