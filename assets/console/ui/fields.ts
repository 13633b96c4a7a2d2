// What is wrong with a form stands right below the field that it is about: the one way for every form.

import { h, newId } from "./dom";
import { sentence } from "./format";
import { known } from "./texts";

// Refusal is an error of the API: fields has what is wrong with each, by its name in the request.
export interface Refusal extends Error {
  fields?: Record<string, string>;
  confirm?: string;
}

// Fields are a form's controls by their names in the request.
export type Fields = Record<string, HTMLElement | undefined>;

const notes = new WeakMap<HTMLElement, HTMLElement>();

// noteOf makes the place below a field once, and names it to screen readers.
function noteOf(control: HTMLElement): HTMLElement {
  const known = notes.get(control);
  if (known) return known;
  const note = h("p", { class: "wrong", id: newId(), role: "alert" });
  const field = control.closest(".field");
  if (field && control.parentElement !== field) field.append(note);
  else control.after(note);
  control.setAttribute("aria-describedby", [note.id, control.getAttribute("aria-describedby")].filter(Boolean).join(" "));
  control.addEventListener("input", () => mark(control, ""));
  notes.set(control, note);
  return note;
}

// mark says what is wrong with a control, and with "" that nothing is.
export function mark(control: HTMLElement, text: string): void {
  if (!text && !notes.has(control)) return;
  const note = noteOf(control);
  if (note.textContent !== text) note.textContent = text;
  if (text) control.setAttribute("aria-invalid", "true");
  else control.removeAttribute("aria-invalid");
}

// refused puts each problem beside its field and the focus into the first. It returns what is about none of them.
export function refused(error: Refusal, controls: Fields): string {
  const all = Object.entries(error.fields ?? {});
  const about = all.filter(([name]) => controls[name]);
  for (const [name, problem] of about) mark(controls[name]!, inWords(problem));
  about.map(([name]) => controls[name]!).sort(inOrder)[0]?.focus();
  const rest = all.filter(([name]) => !controls[name]).map(([, problem]) => inWords(problem));
  return all.length ? rest.join(" ") : ended(error.message);
}

const inOrder = (a: Node, b: Node): number => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1);

// missing finds the first empty control, says so and moves the focus there.
export function missing(texts: readonly (readonly [control: HTMLInputElement | HTMLTextAreaElement, text: string])[]): boolean {
  for (const [control, text] of texts) mark(control, control.value.trim() ? "" : text);
  const first = texts.find(([control]) => !control.value.trim());
  first?.[0].focus();
  return !!first;
}

const ended = (text: string): string => (text && !/[.?!…/。]$/.test(text) ? sentence(text) + "." : sentence(text));

// inWords says to people what the API says of a field: the end of a sentence like "must be a colour", or a whole one.
export function inWords(problem: string): string {
  const size = /^must (?:be|have) ((?:at (?:least|most) )?\d.*)$/s.exec(problem);
  const one = /^must be (.*)$/s.exec(problem)?.[1];
  return ended(known(problem === "is required" ? "Please fill in this field"
    : size ? "Use " + size[1]
      : one ? (one.startsWith("one of ") ? "Choose " : "Enter ") + one
        : (/^(?:must|is|has|names|needs) /.test(problem) ? "This " : "") + problem));
}
