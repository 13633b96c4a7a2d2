// forms.ts asks the visitor things: the form before (or after) the first
// message, who writes when nobody is there, and how the chat was. It is a file of
// its own, loaded when one is due.

import type { Card, Forms } from "./cards";
import { h, icon, link, set, sheet, textButton } from "../ui/dom";
import css from "./forms.css";
import { forms as english } from "../lang/en.json";
import type { Core, FormField, Identity, Shell, State } from "../types";

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
type Values = Record<string, unknown>;

/** What browsers know of a person, by the field's name or type. */
const COMPLETE: Record<string, string> = { name: "name", email: "email", phone: "tel", company: "organization" };

/** In so many conversations the card is not shown again. */
const REMEMBERED = 50;

/** The server's limit of an answer's characters. */
const LONGEST = 1000;

let t = english;

/** create makes all, hidden at first. */
export function create(core: Core, shell: Shell): Forms {
  t = core.words("forms", english);
  const form = createForm(core, shell);
  const below = [createCsat(core, shell), createContact(core, shell)];
  return {
    form: form.node,
    below: h("div", null, ...below.map((card) => card.node)),
    styles: sheet(css),
    update(state, due) {
      for (const card of [form, ...below]) card.update(state, due);
    },
  };
}

/** createForm shows the pre-chat form whenever it is due. */
function createForm({ store, post }: Core, { storage, emit }: Shell): Card {
  const node = h("div", { class: "card form", hidden: true });
  const finish = async (fields?: Values) => {
    if (fields) await post("prechat", { fields });
    storage.set("prechat", store.state.sessionId);
    store.set({ prechatDone: true, identity: { ...store.state.identity, ...fields } });
    emit("prechat", fields || {});
  };
  let shown = "";
  return {
    node,
    update({ identity }, form) {
      node.hidden = !form;
      const sign = form ? JSON.stringify(form) : "";
      if (sign === shown) return;
      shown = sign;
      const { fields = [], required } = form || {};
      node.replaceChildren(
        ...(form ? [askFor({ fields, identity, send: t.start, later: !required && t.skip, finish })] : []),
      );
    },
  };
}

/** createContact asks who writes while nobody is there, if the server wants to know. */
function createContact(core: Core, { storage }: Shell): Card {
  const node = h("div", { class: "box card contact", hidden: true });
  const fields = [
    { name: "name", type: "text", label: t.contactName },
    { name: "email", type: "email", label: t.contactEmail },
  ];
  const over = () => storage.get<string[]>("contact") || [];
  const finish = async (values?: Values) => {
    const { sessionId } = core.store.state;
    if (values) {
      const identity = Object.fromEntries(Object.entries(values).filter(([, value]) => value));
      await core.method("introduce", identity, storage.get("identified"));
      core.notice(t.contactKept);
    }
    storage.set("contact", [...over(), sessionId].slice(-REMEMBERED));
    core.store.set({});
  };
  return {
    node,
    update(state, form) {
      const wanted = state.askContact && isUnknown(state) && !over().includes(state.sessionId);
      // What is being typed stays when somebody comes.
      const typed = [...node.querySelectorAll("input")].some((input) => input.value);
      const due = wanted && !form && !state.stop && (typed || isAlone(state));
      if (node.hidden === !due) return;
      node.hidden = !due;
      const none = t.contactNone;
      node.replaceChildren(
        ...(due ? [askFor({ fields, why: t.contactAsk, send: t.submit, later: t.notNow, none, finish })] : []),
      );
    },
  };
}

const isUnknown = ({ identity: { name, email, phone } }: State) => !name && !email && !phone;

/** isAlone reports whether nobody of the team is there or has come. */
function isAlone({ operatorOnline, closed, messages }: State): boolean {
  return !operatorOnline && !closed && messages.findLast((m) => m.sender !== "visitor")?.sender !== "operator";
}

interface Asked {
  fields: FormField[];
  identity?: Identity;
  /** Why it is asked. */
  why?: string;
  send: string;
  /** The link that ends it without an answer. */
  later?: string | false;
  /** What is wrong when nothing is filled in. */
  none?: string;
  finish(values?: Values): Promise<void>;
}

/** askFor is a form that stays as it is until finish has taken its values. */
function askFor({ fields, identity = {}, why, send, later, none, finish }: Asked): HTMLElement {
  const rows = fields.map((f) => fieldRow(f, identity[f.name]));
  const problem = h("p", { class: "why", role: "alert" });
  let busy = false;
  const end = async (values?: Values) => {
    if (busy) return;
    busy = true;
    problem.textContent = "";
    await finish(values).catch(() => (problem.textContent = t.unsent));
    busy = false;
  };
  const onsubmit = (e: Event) => {
    e.preventDefault();
    const empty = rows.every((row) => !row.value());
    const wrong = rows.filter((row, i) => !row.check(!i && empty && none));
    if (wrong[0]) return wrong[0].control.focus();
    void end(Object.fromEntries(rows.map((row) => [row.name, row.value()])));
  };
  return h("form",
    { onsubmit, onchange: () => rows.forEach((row) => row.again()), novalidate: true, "aria-label": why },
    why && h("p", null, why), ...rows.map((row) => row.node), problem,
    h("button", { type: "submit", class: "main" }, send), later && textButton(later, () => void end()));
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
  const check = (more?: string | false) => {
    const wrong = fault(field, value(), control) || more || "";
    why.textContent = wrong;
    set(control, "aria-invalid", wrong && "true");
    set(control, "aria-describedby", wrong && why.id);
    return !wrong;
  };
  const again = () => why.textContent && check();
  const label = h("label", { for: id }, ...withLinks(field.label || field.name), field.required && h("i", null, " *"));
  const node = h("div", { class: tick ? "field tick" : "field" }, ...(tick ? [control, label] : [label, control]), why);
  return { node, control, check, again, value, name: field.name };
}

/** withLinks shows [privacy policy](https://example.com) in a label as a link. */
function withLinks(text: string): (string | Node)[] {
  const [before, words, url, after] = text.split(/\[([^\]]+)\]\((https?:[^\s)]+)\)(.*)/s);
  return url ? [before!, link(words!, url), ...withLinks(after!)] : [text];
}

function fault(field: FormField, value: string | boolean, control: Control): string {
  if (!value) return field.required ? t.required : "";
  return control.type === "email" && !control.validity.valid ? t.badEmail : "";
}

function controlFor({ type, options }: FormField): Control {
  if (type === "textarea") return h("textarea", { rows: 3, maxlength: LONGEST });
  if (type === "select") {
    const choices = (options || []).map((o) => h("option", { value: o }, o));
    return h("select", null, h("option", { value: "" }, t.choose), ...choices);
  }
  // Browsers treat a type that they do not know as text.
  return h("input", { type: type === "phone" ? "tel" : type, maxlength: LONGEST });
}

/** createCsat asks for one to five, and for a comment once that is chosen. What came of it the log says. */
function createCsat(core: Core, shell: Shell): Card {
  const node = h("div", { class: "box card csat", hidden: true });
  let asked = "";
  return {
    node,
    update({ csat, config }) {
      const at = (!csat.respondedAt && csat.askedAt) || "";
      if (at === asked) return;
      asked = at;
      node.hidden = !at;
      node.replaceChildren(...(at ? [question(core, shell, config.csat?.style === "stars")] : []));
    },
  };
}

const STAR = "m12 3 2.7 5.8 6.3.8-4.6 4.4 1.2 6.3-5.6-3.1-5.6 3.1 1.2-6.3L3 9.6l6.3-.8z";
const MOUTHS = ["M8 17q4-5 8 0", "M8 16.5q4-2.5 8 0", "M8 16h8", "M8 15q4 3 8 0", "M7.5 14q4.500 6 9 0z"];
const FACE = "M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0M9 9.500v.5m6-.5v.5";

function question({ store, post }: Core, { emit }: Shell, stars: boolean): HTMLElement {
  const problem = h("p", { class: "why", role: "alert" });
  const comment = h("textarea", { rows: 2, "aria-label": t.comment, placeholder: t.comment });
  const more = h("div", { hidden: true }, comment, h("button", { type: "submit", class: "main" }, t.submit));
  const said = h("p", { class: "said", "aria-hidden": "true" });
  const names = [t.rate1, t.rate2, t.rate3, t.rate4, t.rate5];
  let score = 0;
  const choose = (n: number) => {
    score = n;
    more.hidden = false;
    said.textContent = names[n - 1]!;
    choices.forEach((label, i) => label.classList.toggle("full", stars ? i < n : i === n - 1));
  };
  const choices = names.map((name, i) => {
    const change = { onchange: () => choose(i + 1) };
    const radio = h("input", { type: "radio", name: "score", value: i + 1, "aria-label": name, title: name, ...change });
    return h("label", null, radio, icon(stars ? STAR : FACE + MOUTHS[i]));
  });
  const onsubmit = async (e: Event) => {
    e.preventDefault();
    const words = comment.value.trim();
    try {
      await post("csat", { score, comment: words || undefined });
    } catch {
      problem.textContent = t.unsent;
      return;
    }
    const { csat, timeline, messages } = store.state;
    const at = new Date().toISOString();
    store.set({
      csat: { ...csat, score, comment: words, respondedAt: at },
      timeline: [...timeline, { type: "csat_submitted", at, after: messages.at(-1)?.id || "", data: { score } }],
    });
    emit("csat", { score, comment: words });
  };
  const marks = h("div", { class: stars ? "scores stars" : "scores" }, ...choices);
  return h("form", { onsubmit }, h("fieldset", null, h("legend", null, t.rateAsk), marks), said, more, problem,
    textButton(t.notNow, () => store.set({ csat: {} })));
}
