// A menu below one of several buttons, or a small form there.

import { h } from "../ui/dom";

export type Entry = [label: string, run: () => unknown, more?: { id?: string; danger?: boolean; checked?: boolean; hint?: string }];

export interface Menu {
  // open shows entries, and with something below them a group of buttons. Opening the open one closes it.
  open(from: HTMLElement, label: string, entries: Entry[], ...below: Node[]): void;
  close(refocus: boolean): void;
}

// item is an entry of a menu, or beside a form, where there is no menu, a button.
function item([label, run, more = {}]: Entry, inMenu: boolean, close: () => void): HTMLElement {
  const role = !inMenu ? undefined : more.checked === undefined ? "menuitem" : "menuitemradio";
  const act = (): void => {
    close();
    run();
  };
  return h("button", { role, id: more.id, class: more.danger ? "menu-item danger-text" : "menu-item",
    tabindex: inMenu ? "-1" : undefined, "aria-checked": more.checked === undefined ? undefined : String(more.checked), onclick: act },
    h("span", {}, label), !!more.hint && h("small", {}, more.hint));
}

// steps moves the focus within a menu by the arrow keys; Escape and Tab leave it.
function steps(menu: HTMLElement, close: (refocus: boolean) => void): void {
  const step = (by: number): void => {
    const items = [...menu.querySelectorAll<HTMLElement>(".menu-item")];
    const at = items.indexOf(document.activeElement as HTMLElement);
    items[(at + by + items.length) % items.length]?.focus();
  };
  menu.addEventListener("keydown", (e) => {
    const inField = (e.target as HTMLElement).tagName === "INPUT";
    if (e.key === "Escape") close(true);
    else if (e.key === "ArrowDown" && !inField) step(1);
    else if (e.key === "ArrowUp" && !inField) step(-1);
    else if (e.key === "Tab" && menu.role === "menu") return close(false);
    else return;
    e.preventDefault();
    e.stopPropagation();
  });
}

// makeMenu puts a menu into an element, for all buttons there.
export function makeMenu(host: HTMLElement): Menu {
  let opener: HTMLElement | undefined;
  const menu = h("div", { class: "me-menu head-menu", role: "menu", hidden: true });
  const close = (refocus: boolean): void => {
    if (menu.hidden) return;
    menu.hidden = true;
    opener?.setAttribute("aria-expanded", "false");
    if (refocus) opener?.focus();
  };
  const open: Menu["open"] = (from, label, entries, ...below) => {
    const again = opener === from && !menu.hidden;
    close(false);
    if (again) return;
    opener = from;
    from.setAttribute("aria-expanded", "true");
    menu.setAttribute("aria-label", label);
    menu.role = below.length ? "group" : "menu";
    menu.replaceChildren(...entries.map((entry) => item(entry, !below.length, () => close(true))), ...below);
    menu.hidden = false;
    const first = menu.querySelector<HTMLElement>("button, input");
    first?.setAttribute("tabindex", "0");
    first?.focus();
  };
  host.append(menu);
  steps(menu, close);
  document.addEventListener("pointerdown", (e) => {
    const at = e.target as Node;
    if (!menu.contains(at) && !opener?.contains(at)) close(false);
  });
  return { open, close };
}
