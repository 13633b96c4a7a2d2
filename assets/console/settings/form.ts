// A form of settings: it knows what differs from what is stored, and puts problems beside their fields.

import { h, newId } from "../ui/dom";
import { inWords, mark, type Refusal } from "../ui/fields";
import { originOf } from "./origin";
import { feedback, save, variableOf, type Feedback, type Settings } from "./settings";
import { tr } from "../ui/texts";

// Control edits one value, as the API has it; null stands for nothing.
export interface Control {
  // node is what a label names: a field, or a group of them.
  node: HTMLElement;
  get(): unknown;
  set(value: unknown): void;
  lock(locked: boolean): void;
}

export interface Field {
  // name is the setting's name in the API.
  name: string;
  label: string;
  control: Control;
  hint?: string | Node;
  // check returns what is wrong with the value, as a whole sentence.
  check?(value: unknown): string | false;
}

export interface Form {
  node: HTMLElement;
  changes(): Record<string, unknown>;
  show(settings: Settings): void;
  // take puts another website's values into the fields, as changes that are not saved. Secrets are not shown to anybody.
  take(settings: Settings): void;
  discard(): void;
  // save stores the changes and reports whether it could.
  save(): Promise<boolean>;
  // onconfirm asks about what an administrator can allow. If so, the changes are saved again.
  onconfirm?(error: Refusal): Promise<boolean>;
  // onsaved is called with the settings after each save.
  onsaved?(settings: Settings): void;
}

const json = (value: unknown): string => JSON.stringify(value) ?? "";

// row is a field with its label, its hint, where it is set and what is wrong with it.
interface Row {
  field: Field;
  node: HTMLElement;
  // base is what the control held when it was filled.
  base: string;
  // locked: the value is set elsewhere.
  locked: boolean;
  changed(): boolean;
  fill(settings: Settings): void;
  problem(text: string): void;
}

function row(field: Field, reset: (name: string) => void): Row {
  const { control, label, name } = field;
  const grouped = !/^(INPUT|SELECT|TEXTAREA)$/.test(control.node.tagName);
  control.node.id ||= newId();
  const hint = h("div", { class: "hint", id: newId() }, field.hint);
  const origin = h("p", { class: "hint origin", id: newId() });
  const title = h(grouped ? "span" : "label", { class: "label", id: newId(), ...(grouped ? {} : { for: control.node.id }) }, label);
  control.node.setAttribute("aria-describedby", [hint.id, origin.id].join(" "));
  if (grouped) {
    control.node.setAttribute("role", "group");
    control.node.setAttribute("aria-labelledby", title.id);
  }
  const isCheck = control.node.getAttribute("type") === "checkbox";
  const node = isCheck
    ? h("div", { class: "field", "data-setting": name }, h("label", { class: "check" }, control.node, " " + label), hint, origin)
    : h("div", { class: "field", "data-setting": name }, title, control.node, hint, origin);
  const one: Row = {
    field, node, base: "", locked: false,
    changed: () => json(control.get()) !== one.base,
    fill(settings) {
      control.set(settings[name] ?? null);
      one.base = json(control.get());
      drawOrigin(settings);
      one.problem("");
    },
    problem: (text) => mark(control.node, text),
  };
  const drawOrigin = (settings: Settings): void => {
    const { locked, text, act } = originOf(settings, name);
    control.lock((one.locked = locked));
    origin.replaceChildren(...text);
    if (act) origin.append(link(act.text, label, () => (act.does === "reset" ? reset(name) : edit(settings))));
  };
  const edit = (settings: Settings): void => {
    control.lock((one.locked = false));
    origin.textContent = tr("Values saved here override {settings}.", { settings: variableOf(settings, name) });
    focusOn(control.node);
  };
  return one;
}

const link = (text: string, about: string, onclick: () => void): HTMLElement =>
  h("button", { class: "link-button", onclick, "aria-label": about + ": " + text }, text);

// focusOn moves the focus to a field, or within a group to what is wrong or comes first.
export function focusOn(node: HTMLElement): void {
  const fields = "input, select, textarea, button";
  const folded = node.closest("details");
  if (folded) folded.open = true;
  const within = node.matches(fields) ? node : node.querySelector<HTMLElement>("input:invalid") ?? node.querySelector<HTMLElement>(fields);
  within?.focus();
}

const isWrong = (r: Row): boolean => r.field.control.node.hasAttribute("aria-invalid");

const value = (r: Row): unknown => r.field.control.get();

// look puts beside a field what is wrong with its value.
const look = (r: Row): void => r.problem(r.field.check?.(value(r)) || "");

function toProblem(rows: Row[]): void {
  const first = rows.find(isWrong);
  if (first) focusOn(first.field.control.node);
}

// checked reports whether the fields themselves are valid.
function checked(rows: Row[]): boolean {
  for (const r of rows) r.problem((r.changed() && r.field.check?.(value(r))) || "");
  toProblem(rows);
  return !rows.some(isWrong);
}

// refuse puts what the server says of a field beside it, and the rest below.
function refuse(rows: Row[], said: Feedback, error: Refusal): void {
  const about = rows.filter((r) => error.fields?.[r.field.name]);
  for (const r of about) r.problem(inWords(error.fields![r.field.name]!));
  said.problem(error.fields && !about.length ? Object.values(error.fields).map(inWords).join(" ") : "");
  if (!error.fields) said.refused(error);
  toProblem(rows);
}

// watch looks again at a field that was found wrong as it is changed, and at every changed one as it is left.
function watch(node: HTMLElement, rows: Row[]): void {
  const rowOf = (e: Event): Row | undefined => rows.find((r) => r.node.contains(e.target as Node));
  node.addEventListener("input", (e) => {
    const changed = rowOf(e);
    if (changed && isWrong(changed)) look(changed);
  });
  node.addEventListener("change", (e) => {
    const left = rowOf(e);
    if (left?.changed()) look(left);
  });
}

// form makes a form of fields; layout arranges their nodes.
export function form(fields: Field[], layout?: (nodes: Record<string, HTMLElement>) => (Node | string)[]): Form {
  const rows = fields.map((field) => row(field, (name) => void reset(name)));
  const said = feedback();
  const nodes = Object.fromEntries(rows.map((r) => [r.field.name, r.node]));
  let stored: Settings | null = null;

  const fill = (settings: Settings, all: boolean): void => {
    const first = !stored;
    stored = settings;
    for (const r of rows) if (all || first || !r.changed()) r.fill(settings);
    one.node.inert = false;
  };
  const reset = async (name: string): Promise<void> => {
    fill(await save({ [name]: null }), false);
    const back = rows.find((r) => r.field.name === name)!;
    back.fill(stored!);
    changed();
  };
  const changed = (): void => void one.node.dispatchEvent(new Event("input", { bubbles: true }));

  const one: Form = {
    node: h("form", { novalidate: true, inert: true, onsubmit: (e: Event) => {
      e.preventDefault();
      void one.save();
    } }, ...(layout?.(nodes) ?? rows.map((r) => r.node)), ...said.nodes),
    changes: () => (stored ? Object.fromEntries(rows.filter((r) => r.changed()).map((r) => [r.field.name, value(r)])) : {}),
    show: (settings) => fill(settings, false),
    take(settings) {
      const open = rows.filter((r) => !r.locked && settings.perSite?.includes(r.field.name) && !("reveal" in r.field.control));
      for (const r of open) r.field.control.set(settings[r.field.name] ?? null);
      changed();
    },
    discard() {
      said.said("");
      if (stored) fill(stored, true);
      changed();
    },
    async save() {
      said.said("");
      const changes = one.changes();
      if (!Object.keys(changes).length) return true;
      if (!checked(rows)) return false;
      try {
        const settings = await save(changes);
        // Text typed meanwhile stays.
        for (const r of rows) if (r.field.name in changes && json(value(r)) === json(changes[r.field.name])) r.fill(settings);
        fill(settings, false);
        one.onsaved?.(settings);
        changed();
        return true;
      } catch (error) {
        if ((error as Refusal).confirm && (await one.onconfirm?.(error as Refusal))) return one.save();
        refuse(rows, said, error as Refusal);
        return false;
      }
    },
  };
  watch(one.node, rows);
  return one;
}
