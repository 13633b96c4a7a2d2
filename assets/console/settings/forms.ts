// Forms and ratings: what visitors are asked before or after their first message, and how they rate.

import { h, iconButton } from "../ui/dom";
import { check, choice } from "./controls";
import { form, type Control } from "./form";
import type { Page } from "./page";
import { button, labelled, section } from "./settings";

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
  ["text", "Text"], ["email", "E-mail"], ["phone", "Telephone"], ["textarea", "Long text"], ["select", "Choice"], ["checkbox", "Checkbox"],
] as const;
const defaultFields: Field[] = [
  { name: "name", type: "text", label: "Name", required: true },
  { name: "email", type: "email", label: "E-mail", required: true },
];

interface Row {
  node: HTMLElement;
  get(): Field;
}

const fieldName = (label: string): string =>
  label.toLowerCase().normalize("NFD").replace(/[^a-z0-9]+/g, "_").replace(/^_|_$/g, "") || "field";

// question edits one field of the form.
function question(f: Field, remove: (r: Row) => void): Row {
  const label = h("input", { class: "input", maxlength: 200, value: f.label, "aria-label": "Question", required: true });
  const type = h("select", { class: "input", "aria-label": "Type", onchange: () => (options.hidden = type.value !== "select") },
    ...types.map(([value, text]) => h("option", { value, selected: value === f.type }, text)));
  const required = h("input", { type: "checkbox", checked: f.required });
  const options = h("textarea", { class: "input", rows: 3, "aria-label": "Choices, one per line", placeholder: "One choice per line",
    hidden: f.type !== "select" });
  options.value = (f.options ?? []).join("\n");
  const one: Row = {
    node: h("li", {}, label, type, h("label", { class: "check" }, required, " Required"),
      iconButton("cross", "Remove " + (f.label || "the question"), () => remove(one)), options),
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
  const timing = h("select", { class: "input" }, h("option", { value: "before_first_message" }, "Before the first message"),
    h("option", { value: "after_first_message" }, "After the first message"));
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
  const more = button("Add a question", () => {
    const one = question({ name: "", type: "text", label: "", required: false }, remove);
    rows.push(one);
    list.append(one.node);
    one.node.querySelector("input")?.focus();
    changed();
  });
  const body = h("div", {}, labelled("When", timing), list, more,
    h("label", { class: "check must" }, mandatory, " Visitors cannot skip it"));
  const draw = (): void => {
    body.hidden = !on.checked;
    if (on.checked && !rows.length) put(defaultFields);
  };
  const node = h("div", {}, h("label", { class: "check" }, on, " Ask visitors who they are"), body);
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
    { name: "preChatForm", label: "Form", control: preChat() },
    { name: "csatEnabled", label: "Visitors can rate a conversation", control: check() },
    { name: "csatTrigger", label: "They are asked",
      control: choice([["off", "Never automatically"], ["on_close", "When a conversation is closed"], ["on_disconnect", "When they leave"],
        ["manual", "When you ask, by !csat"]]), hint: "Once per conversation, and only visitors who got an answer." },
    { name: "csatStyle", label: "They choose from", control: choice([["faces", "Five faces"], ["stars", "Five stars"]]) },
  ], (n) => [
    section("Form",
      h("p", { class: "hint" },
        "Answers appear beside the conversation and in its threads. A field called email or name identifies the visitor. " +
          "[privacy policy](https://example.com/privacy) in a question becomes a link."),
      n["preChatForm"]!),
    section("Ratings", n["csatEnabled"]!, n["csatTrigger"]!, n["csatStyle"]!),
  ]);
  return { node: all.node, form: all };
}
