// emoji.ts is the picker of emoji: six groups and a search. Loaded when it is
// first asked for; the emoji are those of the visitor's system.

import { ALL, type Sign } from "./emojis";
import css from "./emoji.css";
import { h, sheet } from "../ui/dom";
import { emoji as english } from "../lang/en.json";
import type { Core } from "../types";
import type { Composer } from "./composer";

export interface Emoji {
  styles: CSSStyleSheet;
  toggle(): void;
  /** Closes it; false if it was closed. */
  cancel(): boolean;
}

const COLUMNS = 8;

/** create puts the picker above the field. */
export function create(core: Core, composer: Composer): Emoji {
  const t = core.words("emoji", english);
  const names = [t.faces, t.people, t.nature, t.food, t.activities, t.objects];
  const search = h("input", { type: "search", placeholder: t.searchEmoji, "aria-label": t.searchEmoji, oninput: () => draw() });
  const tabs = h(
    "div",
    { class: "groups", role: "group", "aria-label": t.emojiGroups },
    ...ALL.map((group, i) => h("button", { class: "plain", "aria-label": names[i], title: names[i], onclick: () => choose(i) },
      group[0]![0])),
  );
  const grid = h("div", { class: "grid", role: "group", "aria-label": t.emoji });
  const none = h("p", { role: "status" });
  const node = h("div", { class: "box emoji", role: "dialog", "aria-label": t.emoji, hidden: true }, search, tabs, grid, none);
  let group = 0;

  const choose = (i: number) => {
    group = i;
    search.value = "";
    draw();
  };
  const draw = () => {
    const list = found(search.value) || ALL[group]!;
    [...tabs.children].forEach((tab, i) => tab.setAttribute("aria-pressed", String(!search.value.trim() && i === group)));
    grid.replaceChildren(
      ...list.map(([sign, name], i) =>
        h("button", { class: "plain", "aria-label": name, title: name, tabindex: i ? -1 : 0, onclick: () => pick(sign) }, sign),
      ),
    );
    grid.scrollTop = 0;
    none.textContent = list.length ? "" : t.noEmoji;
  };
  const pick = (sign: string) => {
    close();
    const { field } = composer;
    field.setRangeText(sign, field.selectionStart, field.selectionEnd, "end");
    field.dispatchEvent(new Event("input"));
  };
  const close = () => {
    node.hidden = true;
    composer.focus();
  };
  node.addEventListener("keydown", (e) => walk(e, grid, search));
  composer.above(node);

  return {
    styles: sheet(css),
    toggle() {
      if (!node.hidden) return close();
      node.hidden = false;
      choose(group);
      search.focus();
    },
    cancel() {
      if (node.hidden) return false;
      close();
      return true;
    },
  };
}

/** found are the emoji that fit what is searched, if anything is. */
function found(text: string): Sign[] | "" {
  const words = text.trim().toLowerCase();
  return words && ALL.flat().filter(([sign, name]) => sign === words || name.split(" ").some((n) => n.startsWith(words)));
}

/** walk goes through the grid with the arrows, from the search and back to it. */
function walk(e: KeyboardEvent, grid: HTMLElement, search: HTMLInputElement): void {
  const buttons = [...grid.children] as HTMLElement[];
  const rtl = getComputedStyle(grid).direction === "rtl" ? -1 : 1;
  const steps: Record<string, number> = { ArrowRight: rtl, ArrowLeft: -rtl, ArrowDown: COLUMNS, ArrowUp: -COLUMNS };
  const at = buttons.indexOf(e.target as HTMLElement);
  const step = steps[e.key];
  if (e.target === search) {
    if (e.key === "Enter") {
      e.preventDefault();
      if (search.value) buttons[0]?.click();
    }
    if (e.key !== "ArrowDown") return;
  } else if (at < 0 || !step) return;
  e.preventDefault();
  const next = buttons[at < 0 ? 0 : at + step!];
  if (!next) return at + step! < 0 ? search.focus() : undefined;
  for (const button of buttons) button.tabIndex = button === next ? 0 : -1;
  next.focus();
}
