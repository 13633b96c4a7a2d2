// A box above the composer to pick from: a search, and buttons that the arrow keys lead through.

import { byId, h, newId } from "../ui/dom";
import { tr } from "../ui/texts";

export interface Picker {
  toggle(): void;
}

// put writes a text into the composer where the cursor is.
export function put(text: string): void {
  const input = byId<HTMLTextAreaElement>("composer");
  input.setRangeText(text, input.selectionStart, input.selectionEnd, "end");
  input.dispatchEvent(new Event("input"));
}

// walk moves the focus from the search into the buttons, among them, and back.
function walk(e: KeyboardEvent, search: HTMLInputElement, list: HTMLElement): boolean {
  const buttons = [...list.querySelectorAll<HTMLElement>("button")];
  const at = buttons.indexOf(e.target as HTMLElement);
  const first = buttons[0]?.offsetTop;
  const columns = Math.max(buttons.findIndex((b) => b.offsetTop !== first), 1);
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[e.key];
  if (e.target === search) {
    if (e.key === "Enter" && search.value) buttons[0]?.click();
    if (e.key === "ArrowDown") buttons[0]?.focus();
    return e.key === "Enter" || e.key === "ArrowDown";
  }
  if (at < 0 || !step) return false;
  (buttons[at + step] ?? (step < 0 ? search : buttons[at]))?.focus();
  return true;
}

// makePicker makes a box for a button of the composer. draw fills the list with what fits the search, and says why it
// is empty.
export function makePicker(opener: HTMLElement, label: string, draw: (query: string, list: HTMLElement) => string | Node): Picker {
  const id = newId();
  const search = h("input", { class: "input", type: "search", placeholder: tr("Search"), "aria-label": tr("Search: {label}", { label }),
    oninput: () => fill() });
  const list = h("div", { class: "picker-list", id, role: "group", "aria-label": label });
  const none = h("p", { class: "hint", role: "status" });
  const box = h("div", { class: "picker", role: "dialog", "aria-label": label, hidden: true }, search, list, none);
  const fill = (): void => {
    none.replaceChildren(draw(search.value.trim(), list));
    list.scrollTop = 0;
  };
  const close = (refocus: boolean): void => {
    if (box.hidden) return;
    box.hidden = true;
    opener.setAttribute("aria-expanded", "false");
    if (refocus) byId("composer").focus();
  };
  box.addEventListener("keydown", (e) => {
    if (e.key === "Escape") close(true);
    else if (!walk(e, search, list)) return;
    e.preventDefault();
    e.stopPropagation();
  });
  list.addEventListener("click", (e) => (e.target as Element).closest("button") && close(true));
  document.addEventListener("pointerdown", (e) => {
    const at = e.target as Node;
    if (!box.contains(at) && !opener.contains(at)) close(false);
  });
  byId("chips").after(box);
  return { toggle: () => {
    if (!box.hidden) return close(true);
    box.hidden = false;
    opener.setAttribute("aria-expanded", "true");
    search.value = "";
    fill();
    search.focus();
  } };
}
