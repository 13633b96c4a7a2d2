// Merging the open conversation with another one of the same person, which is chosen in a dialog. Loaded when it is first opened.

import { call, sessionPath } from "../net/api";
import { h } from "../ui/dom";
import { refused } from "../ui/fields";
import { agoTime, preview, visitorName } from "../ui/format";
import { set } from "../state/store";
import { saidIn, saidList } from "./said";
import type { Contact } from "../contact/types";
import type { Message, Session } from "../types";
import { tr } from "../ui/texts";

const mostFound = 10;
const pause = 200;

type Group = [title: string, sessions: Session[]];

const heading = h("h2", { id: "merge-title" }, tr("Merge with another conversation"));
const about = h("p", { class: "hint" },
  tr("For a person who wrote from several browsers. All messages stay where they are, and each browser still reads only its own."));
const field = h("input", { class: "input", type: "search", id: "merge-search", maxlength: "200", autocomplete: "off",
  placeholder: tr("Name, e-mail address or page"), "aria-label": tr("Search conversations"), oninput: () => later() });
const list = h("div", { class: "merge-list", role: "radiogroup", "aria-label": tr("Conversations") });
const note = h("p", { class: "hint", role: "status" });
const sides = h("div", { class: "merge-sides", hidden: true });
const same = h("input", { type: "checkbox", id: "merge-same", onchange: () => enable() });
const what = [tr("The conversation goes on where the visitor wrote last, with the tags of both and everything that still waits."),
  tr("The other one is closed. You can separate them again.")].join(" ");
const tick = h("label", { class: "check", hidden: true }, same,
  h("span", {}, tr("It is the same person"), h("small", { class: "hint" }, what)));
const wrong = h("p", { class: "wrong", role: "alert", hidden: true });
const yes = h("button", { class: "button main", type: "submit", id: "merge-yes", disabled: true }, tr("Merge"));
const form = h("form", { onsubmit: (e: Event) => void submit(e) }, heading, about, field, list, note, sides, tick, wrong,
  h("div", { class: "ask-row" }, h("button", { class: "button", type: "button", onclick: () => dialog.close() }, tr("Cancel")), yes));
const dialog = h("dialog", { class: "ask merge", "aria-labelledby": heading.id }, form);
document.body.append(dialog);

let from: Session;
let chosen: Session | undefined;
let own: Group[] = [];
let timer = 0;
let ticket = 0;

function enable(): void {
  yes.disabled = !chosen || !same.checked;
}

function choose(to?: Session): void {
  chosen = to;
  same.checked = false;
  wrong.hidden = true;
  tick.hidden = sides.hidden = !to;
  note.textContent = "";
  enable();
  if (to) void compare(to);
}

// compare shows the ends of both conversations, and in which one it goes on.
async function compare(to: Session): Promise<void> {
  sides.replaceChildren();
  const [here, there] = await Promise.all([saidIn(from.id), saidIn(to.id)]);
  if (chosen !== to) return;
  const last = (all: Message[]): string => all.findLast((m) => m.sender === "visitor")?.timestamp ?? "";
  const onward = last(here) < last(there);
  sides.replaceChildren(side(tr("This conversation"), from, here, !onward), side(tr("The other one"), to, there, onward));
}

function side(title: string, s: Session, said: Message[], onward: boolean): HTMLElement {
  const then = h("span", { class: "tag " + (onward ? "good" : "") }, onward ? tr("Goes on") : tr("Will be closed"));
  return h("section", {}, h("h3", {}, title, " ", then),
    saidList(said.slice(-3), new Map([[s.id, s]])));
}

function row(s: Session): HTMLElement {
  const said = s.lastMessage ? preview(s.lastMessage).slice(0, 120) : "";
  return h("label", { class: "merge-row" }, h("input", { type: "radio", name: "merge", value: s.id, onchange: () => choose(s) }),
    h("span", {}, h("b", { dir: "auto" }, visitorName(s)), " ",
      h("span", { class: "tag " + (s.status === "open" ? "good" : "") }, s.status === "open" ? tr("Open") : tr("Closed")), " ",
      h("small", { class: "hint" }, agoTime(s.lastActivity)), h("span", { class: "merge-said", dir: "auto" }, said)));
}

// draw shows groups of what can be chosen: other conversations of the same website.
function draw(groups: Group[]): void {
  const fits = (s: Session): boolean => s.id !== from.id && s.site === from.site && !s.blocked && !from.mergedWith?.includes(s.id);
  const shown = groups.map(([title, all]): Group => [title, all.filter(fits)]).filter(([, all]) => all.length);
  choose();
  list.replaceChildren(...shown.flatMap(([title, all]) => [h("h3", {}, title), ...all.map(row)]));
  if (!shown.length) note.textContent = tr("No conversation found.");
}

// later searches when the typing pauses; without words the visitor's own conversations are offered.
function later(): void {
  clearTimeout(timer);
  const now = ++ticket;
  const words = field.value.trim();
  if (!words) return draw(own);
  timer = setTimeout(async () => {
    const found = await sessions(words);
    if (now === ticket) draw([[tr("Found"), found]]);
  }, pause);
}

async function sessions(words: string): Promise<Session[]> {
  const params = new URLSearchParams({ q: words, limit: String(mostFound), ...(from.site && { site: from.site }) });
  return (await call<{ sessions: Session[] }>("GET", "/sessions?" + params).catch(() => undefined))?.sessions ?? [];
}

async function load(): Promise<void> {
  const now = ++ticket;
  const [contact, newest] = await Promise.all([
    call<Contact>("GET", sessionPath(from.id) + "/contact").catch(() => undefined), sessions("")]);
  const [conversations, claims] = [contact?.conversations ?? [], contact?.claims ?? []];
  const known = new Set([...conversations, ...claims].map((s) => s.id));
  own = [[tr("Of the same visitor"), conversations], [tr("Claim to be this contact"), claims],
    [tr("Newest"), newest.filter((s) => !known.has(s.id))]];
  if (now === ticket) draw(own);
}

async function submit(e: Event): Promise<void> {
  e.preventDefault();
  if (!chosen || !same.checked) return;
  yes.disabled = true;
  try {
    const { session } = await call<{ session: Session }>("POST", sessionPath(from.id) + "/merge", { with: chosen.id, samePerson: true });
    dialog.close();
    location.hash = "#" + sessionPath(session.id);
    // Behind the change of the address, which begins without one.
    setTimeout(() => set({ answer: tr("Merged. The conversation goes on here.") }));
  } catch (error) {
    wrong.textContent = refused(error as Error, {});
    wrong.hidden = false;
  }
  enable();
}

export function merge(s: Session): void {
  from = s;
  own = [];
  field.value = "";
  list.replaceChildren();
  choose();
  dialog.showModal();
  void load();
}
