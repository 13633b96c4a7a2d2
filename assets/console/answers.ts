// The saved answers that fit what is typed after ! or /, to choose from with the keyboard or the pointer.

import { call } from "./api";
import { byId, h } from "./dom";
import { setDraft } from "./drafts";
import { changed, set, state } from "./store";
import type { View } from "./store";
import type { SavedAnswer } from "./types";

const most = 8;
const begun = /^[!！/]([\p{L}\p{N}_-]*)$/u;

// fitting are the answers whose name begins like the text, or that contain it.
function fitting({ drafts, selected, editing, savedAnswers }: typeof state): readonly SavedAnswer[] {
  const word = editing ? undefined : begun.exec(drafts[selected] ?? "")?.[1]?.toLowerCase();
  if (word === undefined) return [];
  const named = savedAnswers.filter((a) => a.name.startsWith(word));
  const others = savedAnswers.filter((a) => !named.includes(a) && word.length > 1 && a.content.toLowerCase().includes(word));
  return [...named, ...others].slice(0, most);
}

// loadAnswers asks for them whenever somebody begins to type a name.
export function loadAnswers(text: string): void {
  if (!/^[!！/]$/.test(text)) return;
  call<{ savedAnswers: SavedAnswer[] }>("GET", "/saved-answers").then(({ savedAnswers }) => set({ savedAnswers }), () => undefined);
}

function choose(a: SavedAnswer): void {
  setDraft(state.selected, a.content);
  set({ chosen: -1 });
  byId("composer").focus();
}

// menuKey handles the keys that belong to the open list, and tells whether it did.
export function menuKey(e: KeyboardEvent): boolean {
  const list = fitting(state);
  if (!list.length || byId("answers-menu").hidden) return false;
  const at = state.chosen;
  if (e.key === "ArrowDown") set({ chosen: (at + 1) % list.length });
  else if (e.key === "ArrowUp") set({ chosen: (at <= 0 ? list.length : at) - 1 });
  else if (e.key === "Tab" && !e.shiftKey) choose(list[Math.max(at, 0)]!);
  else if (e.key === "Enter" && list[at]) choose(list[at]);
  else if (e.key === "Escape") set({ savedAnswers: [], chosen: -1 });
  else return false;
  e.preventDefault();
  e.stopPropagation();
  return true;
}

function option(a: SavedAnswer, i: number, chosen: number): HTMLLIElement {
  return h("li", { id: "answer-" + i, role: "option", "aria-selected": i === chosen, onpointerdown: (e: Event) => {
    e.preventDefault(); // the focus stays in the field
    choose(a);
  } }, h("b", {}, "!" + a.name), h("span", { dir: "auto" }, a.content));
}

export const answersView: View = (now, before) => {
  if (!changed(now, before, "drafts", "selected", "editing", "savedAnswers", "chosen")) return;
  const list = fitting(now);
  const menu = byId("answers-menu");
  menu.hidden = !list.length;
  const chosen = list[now.chosen] ? now.chosen : -1;
  menu.replaceChildren(...list.map((a, i) => option(a, i, chosen)));
  const input = byId("composer");
  if (chosen < 0) input.removeAttribute("aria-activedescendant");
  else input.setAttribute("aria-activedescendant", "answer-" + chosen);
};
