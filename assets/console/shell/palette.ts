// Search and commands in one field, opened by Ctrl+K, ⌘K or the field in the bar. Loaded when it is first opened.

import { h, icon, newId } from "../ui/dom";
import { ago, pagePath, visitorName } from "../ui/format";
import { siteMark } from "../state/sites";
import { state } from "../state/store";
import { type Command, commands, plain, search } from "./commands";
import type { Session } from "../types";
import { tr } from "../ui/texts";

const most = 60; // rows that are shown; more words find the others
const mostFound = 6;

const field = h("input", { class: "palette-field", type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-list",
  "aria-autocomplete": "list", "aria-label": tr("Search or run a command"), placeholder: tr("Search or run a command…"), maxlength: "200",
  autocomplete: "off", spellcheck: "false", enterkeyhint: "go", oninput: () => draw() });
const list = h("div", { class: "palette-list", id: "palette-list", role: "listbox", "aria-label": tr("Commands") });
const none = h("p", { class: "palette-none", role: "status" });
const dialog: HTMLDialogElement = h("dialog", { class: "palette", "aria-label": tr("Search and commands") },
  h("div", { class: "palette-head" }, icon("search"), field, h("kbd", { "aria-hidden": "true" }, "Esc")), list, none);

let shown: Command[] = [];
let at = 0;

// about tells visitors of the same name apart: by the page or the e-mail address, and the time of the newest message.
function about(s: Session): string {
  const email = s.identity?.["email"];
  const who = typeof email === "string" && email !== visitorName(s) ? email : pagePath(s.metadata["url"]);
  const site = siteMark(s.site);
  return [site && site.textContent, who, ago(s.lastActivity)].filter(Boolean).join(" · ");
}

// found are the conversations of the list whose visitor's name has the words, and a search for the words.
function found(query: string, fits: (text: string) => boolean): Command[] {
  if (!query) return [];
  const rows = state.order.map((id) => state.sessions.get(id)!).filter((s) => fits(visitorName(s))).slice(0, mostFound);
  return [...rows.map((s): Command => ({ group: tr("Conversations"), label: visitorName(s), about: about(s), symbol: "chat",
    run: () => (location.hash = "#/sessions/" + encodeURIComponent(s.id)) })),
  { group: tr("Conversations"), label: tr("Search messages for “{query}”", { query }), symbol: "search", run: () => search(query) }];
}

// fitting are the commands that have all words, those that begin with them first.
function fitting(query: string): Command[] {
  const words = plain(query).split(/\s+/);
  const fits = (text: string): boolean => words.every((word) => plain(text).includes(word));
  const begins = (c: Command): number => (plain(c.label).startsWith(words[0]!) ? 0 : 1);
  const all = commands().filter((c) => fits(c.group + " " + c.label + " " + (c.also ?? "")));
  if (!query) return all.slice(0, most);
  const groups = [...new Set(all.sort((a, b) => begins(a) - begins(b)).map((c) => c.group))];
  return [...groups.flatMap((group) => all.filter((c) => c.group === group)), ...found(query, fits)].slice(0, most);
}

function option(c: Command, i: number): HTMLElement {
  return h("div", { class: "palette-option", role: "option", id: "palette-" + i, "aria-selected": "false",
    onclick: () => run(c), onpointermove: () => i !== at && mark(i) },
  icon(c.symbol), h("span", { dir: "auto" }, c.label), !!c.about && h("small", { dir: "auto" }, c.about), !!c.key && h("kbd", {}, c.key));
}

function draw(): void {
  shown = fitting(field.value.trim());
  const groups: HTMLElement[] = [];
  shown.forEach((c, i) => {
    if (c.group !== shown[i - 1]?.group) {
      const id = newId();
      groups.push(h("div", { role: "group", "aria-labelledby": id }, h("p", { id, role: "presentation" }, c.group)));
    }
    groups.at(-1)!.append(option(c, i));
  });
  list.replaceChildren(...groups);
  list.hidden = !shown.length;
  none.textContent = shown.length ? "" : tr("Nothing fits.");
  mark(0);
}

// mark shows which command Enter runs. The focus stays in the field.
function mark(to: number): void {
  document.getElementById("palette-" + at)?.setAttribute("aria-selected", "false");
  at = to;
  const now = document.getElementById("palette-" + at);
  now?.setAttribute("aria-selected", "true");
  now?.scrollIntoView({ block: "nearest" });
  if (now) field.setAttribute("aria-activedescendant", now.id);
  else field.removeAttribute("aria-activedescendant");
}

// run closes first: the focus is back where it was, and the command may move it.
function run(c: Command | undefined): void {
  if (!c) return;
  dialog.close();
  void c.run();
}

function key(e: KeyboardEvent): void {
  const n = shown.length;
  const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
  if (e.isComposing) return;
  if (step && n) mark((at + step + n) % n);
  else if (e.key === "Enter") run(shown[at]);
  else if (e.key === "k" && (e.ctrlKey || e.metaKey)) dialog.close();
  else return;
  e.preventDefault();
  e.stopPropagation(); // the page would take the key of a closed palette to open it again
}

dialog.addEventListener("keydown", key);
dialog.addEventListener("click", (e) => e.target === dialog && dialog.close()); // beside it
document.body.append(dialog);

export function showPalette(): void {
  field.value = "";
  dialog.showModal();
  draw();
  field.focus();
}
