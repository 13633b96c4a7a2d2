// forms.ts asks the visitor things: the form before (or after) the first
// message, and how the chat was. It is a file of its own, loaded when one is due.

import { formDue, type Card, type Forms } from "./cards";
import { h, set, sheet, textButton } from "./dom";
import css from "./forms.css";
import * as t from "./strings";
import { withEntry } from "./messages";
import type { Core, FormField, Identity, PreChatForm, Shell } from "./types";

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** What browsers know of a person, by the field's name or type. */
const COMPLETE: Record<string, string> = { name: "name", email: "email", phone: "tel", company: "organization" };

/** create makes both, hidden at first. */
export function create(core: Core, shell: Shell): Forms {
  return { form: createForm(core, shell), csat: createCsat(core, shell), styles: sheet(css) };
}

/** createForm shows the pre-chat form whenever it is due. */
function createForm(core: Core, shell: Shell): Card {
  const node = h("div", { class: "card form", hidden: true });
  let shown = "";
  return {
    node,
    update(state) {
      const form = formDue(state);
      node.hidden = !form;
      const sign = form ? JSON.stringify(form) : "";
      if (sign === shown) return;
      shown = sign;
      node.replaceChildren(...(form ? [draw(form, core, shell, state.identity)] : []));
    },
  };
}

function draw(form: PreChatForm, { store, post }: Core, { storage, emit }: Shell, known: Identity): HTMLElement {
  const rows = form.fields.map((f) => fieldRow(f, known[f.name]));
  const problem = h("p", { class: "why", role: "alert" });
  const finish = async (fields: Record<string, unknown> | null) => {
    try {
      if (fields) await post("prechat", { fields });
    } catch {
      problem.textContent = t.failed;
      return;
    }
    storage.set("prechat", store.state.sessionId);
    store.set({ prechatDone: true, identity: { ...store.state.identity, ...fields } });
    emit("prechat", fields || {});
  };
  const onsubmit = (e: Event) => {
    e.preventDefault();
    const wrong = rows.filter((row) => !row.check());
    if (wrong[0]) return wrong[0].control.focus();
    void finish(Object.fromEntries(rows.map((row) => [row.name, row.value()])));
  };
  return h(
    "form",
    { onsubmit, novalidate: true },
    ...rows.map((row) => row.node),
    problem,
    h("button", { type: "submit", class: "main" }, t.start),
    !form.required && textButton(t.skip, () => void finish(null)),
  );
}

/** fieldRow is a label, its control, and the place for what is wrong with it. */
function fieldRow(field: FormField, known: unknown) {
  const id = `f-${field.name}`;
  const control = controlFor(field);
  const tick = control.type === "checkbox" ? (control as HTMLInputElement) : null;
  const why = h("p", { class: "why", id: id + "-why" });
  set(control, "id", id);
  set(control, "required", !!field.required);
  set(control, "autocomplete", COMPLETE[field.name] || COMPLETE[field.type]);
  if (typeof known === "string" && !tick) control.value = known;
  const value = () => (tick ? tick.checked : control.value.trim());
  const check = () => {
    const wrong = fault(field, value(), control);
    why.textContent = wrong;
    set(control, "aria-invalid", wrong && "true");
    set(control, "aria-describedby", wrong && why.id);
    return !wrong;
  };
  control.addEventListener("change", () => why.textContent && check());
  const label = h("label", { for: id }, field.label || field.name, field.required && h("i", null, " *"));
  const node = h("div", { class: tick ? "field tick" : "field" }, ...(tick ? [control, label] : [label, control]), why);
  return { node, control, check, value, name: field.name };
}

function fault(field: FormField, value: string | boolean, control: Control): string {
  if (!value) return field.required ? t.required : "";
  return control.type === "email" && !control.validity.valid ? t.badEmail : "";
}

function controlFor({ type, options }: FormField): Control {
  if (type === "textarea") return h("textarea", { rows: 3 });
  if (type === "select") {
    const choices = (options || []).map((o) => h("option", { value: o }, o));
    return h("select", null, h("option", { value: "" }), ...choices);
  }
  // Browsers treat a type that they do not know as text.
  return h("input", { type: type === "phone" ? "tel" : type });
}

/** createCsat asks for one to five, and for a comment once that is chosen. */
function createCsat(core: Core, shell: Shell): Card {
  const node = h("div", { class: "card csat", hidden: true });
  let shown = "";
  return {
    node,
    update({ csat }) {
      const stage = csat.respondedAt ? "thanks" : csat.askedAt ? "ask" : "";
      if (stage === shown) return;
      shown = stage;
      node.hidden = !stage;
      if (stage === "ask") node.replaceChildren(question(core, shell));
      else node.replaceChildren(h("p", { role: "status" }, t.thanks));
    },
  };
}

function question({ store, post }: Core, { emit }: Shell): HTMLElement {
  const problem = h("p", { class: "why", role: "alert" });
  const comment = h("textarea", { rows: 2, "aria-label": t.comment, placeholder: t.comment });
  const more = h("div", { hidden: true }, comment, h("button", { type: "submit", class: "main" }, t.send));
  let score = 0;
  const choose = (n: number) => () => {
    score = n;
    more.hidden = false;
  };
  const choices = [1, 2, 3, 4, 5].map((n) => {
    const name = n + (n === 1 ? `, ${t.rateLow}` : n === 5 ? `, ${t.rateHigh}` : "");
    const radio = h("input", { type: "radio", name: "score", value: n, "aria-label": name, onchange: choose(n) });
    return h("label", null, radio, h("span", { "aria-hidden": "true" }, String(n)));
  });
  const onsubmit = async (e: Event) => {
    e.preventDefault();
    const words = comment.value.trim();
    try {
      await post("csat", { score, comment: words || undefined });
    } catch {
      problem.textContent = t.failed;
      return;
    }
    const respondedAt = new Date().toISOString();
    store.set({
      csat: { ...store.state.csat, score, comment: words, respondedAt },
      ...withEntry(store.state, "csat_submitted", respondedAt, { score }),
    });
    emit("csat", { score, comment: words });
  };
  return h(
    "form",
    { onsubmit },
    h("fieldset", null, h("legend", null, t.rateAsk), h("div", { class: "scores" }, ...choices)),
    h("div", { class: "ends", "aria-hidden": "true" }, h("span", null, t.rateLow), h("span", null, t.rateHigh)),
    more,
    problem,
    textButton(t.notNow, () => store.set({ csat: {} })),
  );
}
