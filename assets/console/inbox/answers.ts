// The saved answers that fit what is typed after ! or /, to choose from with the keyboard or the pointer. Loaded when
// somebody begins to write.

import { call } from "../net/api";
import commands from "../commands.json";
import { byId, h } from "../ui/dom";
import { setDraft } from "../state/drafts";
import { me } from "../state/me";
import { makePicker, put } from "./picker";
import { changed, current, set, state, subscribe } from "../state/store";
import type { View } from "../state/store";
import type { SavedAnswer } from "../types";
import { tr } from "../ui/texts";

const most = 8;
const begun = /^[!！/]([\p{L}\p{N}_-]*)$/u;

// folded is a text without case and accents.
const folded = (text: string): string => text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");

// begunIn is the name that a text begins, without its mark.
const begunIn = ({ drafts, selected }: typeof state): string | undefined => begun.exec(drafts[selected] ?? "")?.[1]?.toLowerCase();

// usable are the answers for the open conversation's website; its own stands for that of all with the same name.
function usable(now: typeof state): readonly SavedAnswer[] {
  const site = current(now)?.site;
  const here = now.savedAnswers.filter((a) => !a.site || a.site === site);
  return here.filter((a) => a.site || !here.some((other) => other.site && other.name === a.name && !other.own === !a.own));
}

// fitting are the answers whose name begins like the text, or that contain it.
function fitting(now: typeof state): readonly SavedAnswer[] {
  const { editing } = now;
  const savedAnswers = usable(now);
  const word = editing ? undefined : begunIn(now);
  if (word === undefined) return [];
  const named = savedAnswers.filter((a) => folded(a.name).startsWith(folded(word)));
  const others = savedAnswers.filter((a) => !named.includes(a) && word.length > 1 && folded(a.content).includes(folded(word)));
  return [...named, ...others].slice(0, most);
}

// asked counts the questions for them: an older question's answer may come late, and is old.
let asked = 0;

// loadAnswers asks for them whenever somebody begins to type a name.
export async function loadAnswers(text: string): Promise<void> {
  if (!/^[!！/]$/.test(text)) return;
  const now = ++asked;
  const answer = await call<{ savedAnswers: SavedAnswer[] }>("GET", "/saved-answers").catch(() => undefined);
  if (answer && now === asked) set({ savedAnswers: answer.savedAnswers });
}

// filled replaces the placeholders of an answer, as relay does where !name sends it.
function filled(text: string): string {
  const s = current();
  const known = (field: string): string =>
    [s?.identity, s?.preChat].map((facts) => facts?.[field])
      .find((value): value is string => typeof value === "string" && !!value.trim()) ?? "";
  const values: Record<string, string> = { "visitor.name": known("name"), "visitor.email": known("email"), "operator.name": me ?? "" };
  return text.replace(/( ?)\{([^{}|]*)(?:\|([^{}]*))?\}/g, (all, space: string, name: string, otherwise = "") => {
    const value = values[name.trim()];
    if (value === undefined) return all;
    const shown = value.trim() || (otherwise as string).trim();
    return shown && space + shown;
  });
}

function choose(a: SavedAnswer): void {
  setDraft(state.selected, filled(a.content));
  set({ chosen: -1 });
  byId("composer").focus();
}

// only is the answer that Enter takes though none was chosen: the one that fits a begun name. A whole name is a command.
function only(list: readonly SavedAnswer[]): SavedAnswer | undefined {
  const word = begunIn(state);
  return list.length === 1 && word && word !== list[0]!.name && !commands.includes(word) ? list[0] : undefined;
}

// menuKey handles the keys that belong to the open list, and reports whether it did.
export function menuKey(e: KeyboardEvent): boolean {
  const list = fitting(state);
  if (!list.length || byId("answers-menu").hidden) return false;
  const at = state.chosen;
  if (e.key === "ArrowDown") set({ chosen: (at + 1) % list.length });
  else if (e.key === "ArrowUp") set({ chosen: (at <= 0 ? list.length : at) - 1 });
  else if (e.key === "Tab" && !e.shiftKey) choose(list[Math.max(at, 0)]!);
  else if (e.key === "Enter" && !e.shiftKey && (list[at] ?? only(list))) choose((list[at] ?? only(list))!);
  else if (e.key === "Escape") set({ savedAnswers: [], chosen: -1 });
  else return false;
  e.preventDefault();
  e.stopPropagation();
  return true;
}

function option(a: SavedAnswer, i: number, chosen: number): HTMLLIElement {
  return h("li", { id: "answer-" + i, role: "option", "aria-selected": String(i === chosen), onpointerdown: (e: Event) => {
    e.preventDefault(); // the focus stays in the field
    choose(a);
  } }, h("b", {}, "!" + a.name, !!a.own && h("small", {}, " " + tr("yours"))), h("span", { dir: "auto" }, a.content));
}

const view: View = (now, before) => {
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

// pick shows all answers for the conversation's website, to put one where the cursor is.
const picker = makePicker(byId("saved"), tr("Saved answers"), (query, list) => {
  const words = folded(query);
  const known = usable(state);
  const found = known.filter((a) => folded(a.name + " " + a.content).includes(words));
  list.replaceChildren(...found.map((a) => h("button", { type: "button", onclick: () => put(filled(a.content)) },
    h("b", {}, "!" + a.name, !!a.own && h("small", {}, " " + tr("yours"))), h("span", { dir: "auto" }, a.content))));
  if (known.length) return found.length ? "" : tr("No saved answer fits.");
  return h("span", {}, tr("There are no saved answers yet.") + " ", h("a", { href: "#/answers" }, tr("Write the first one")));
});

export async function pick(): Promise<void> {
  await loading;
  picker.toggle();
}

subscribe(view);
const loading = loadAnswers("/"); // known when somebody types fast
