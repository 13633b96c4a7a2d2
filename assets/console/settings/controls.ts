// The controls of settings: each holds one value as the API has it.

import { h } from "../ui/dom";
import type { Control } from "./form";
import { tr } from "../ui/texts";

type Input = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const typed = (node: Input): Control => ({
  node,
  get: () => node.value.trim() || null,
  set: (value) => void (node.value = String(value ?? "")),
  lock: (locked) => void (node.disabled = locked),
});

export const text = (props: object = {}): Control =>
  typed(h("input", { class: "input", autocomplete: "off", spellcheck: "false", ...props }));

export const area = (props: object = {}): Control => typed(h("textarea", { class: "input", rows: 3, ...props }));

export function choice(options: readonly (readonly [value: string, label: string])[]): Control {
  return typed(h("select", { class: "input" }, ...options.map(([value, label]) => h("option", { value }, label))));
}

export function number(min: number, max: number): Control {
  const node = h("input", { class: "input", type: "number", min, max, step: 1, inputmode: "numeric" });
  return { ...typed(node), get: () => (node.value ? Number(node.value) : null) };
}

// list edits texts with commas between them.
export function list(props: object): Control {
  const node = h("input", { class: "input", autocomplete: "off", spellcheck: "false", ...props });
  return {
    ...typed(node),
    get: () => node.value.split(",").map((one) => one.trim()).filter(Boolean),
    set: (value) => void (node.value = ((value as string[] | null) ?? []).join(", ")),
  };
}

export function check(): Control {
  const node = h("input", { type: "checkbox" });
  return { ...typed(node), get: () => node.checked, set: (value) => void (node.checked = value === true) };
}

// Secret is write-only: the server shows a mask of it, which is the placeholder.
export interface Secret extends Control {
  // reveal puts a new secret there that may be read until it is saved.
  reveal(value: string): void;
}

export function secret(none: string, longest = 1000): Secret {
  const field = h("input",
    { class: "input code", type: "password", maxlength: longest, autocomplete: "new-password", spellcheck: "false" });
  const remove = h("button", { class: "button", onclick: () => put(true) }, tr("Remove"));
  const node = h("div", { class: "beside" }, field, remove);
  let mask = "";
  let removed = false;
  const put = (gone: boolean): void => {
    removed = gone;
    field.value = "";
    draw();
    node.dispatchEvent(new Event("input", { bubbles: true }));
    field.focus();
  };
  const draw = (): void => {
    field.placeholder = removed ? tr("Removed when you save") : mask || none;
    remove.hidden = !mask || removed || field.disabled;
  };
  field.addEventListener("input", () => {
    removed = false;
    draw();
  });
  return {
    node,
    get: () => (removed ? null : field.value.trim() || undefined),
    set(value) {
      mask = String(value ?? "");
      removed = false;
      field.value = "";
      field.type = "password";
      draw();
    },
    lock(locked) {
      field.disabled = locked;
      draw();
    },
    reveal(value) {
      removed = false;
      field.type = "text";
      field.value = value;
      draw();
      field.select();
      node.dispatchEvent(new Event("input", { bubbles: true }));
    },
  };
}
