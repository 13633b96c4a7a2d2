// Actions on a conversation: assign, snooze, tag, ask for a rating, block, delete. Loaded when one of the menus in its
// header is first opened.

import { call, sessionPath } from "../net/api";
import { ask } from "../ui/ask";
import { byId, h } from "../ui/dom";
import { mark, missing, refused } from "../ui/fields";
import { fullTime } from "../ui/format";
import { administrator, me, myId } from "../state/me";
import { put } from "./organise";
import { markUnread } from "./unread";
import { attempt, current, set, state } from "../state/store";
import type { Session } from "../types";

type Entry = [label: string, run: () => unknown, more?: { id?: string; danger?: boolean; checked?: boolean; hint?: string }];

let opener: HTMLElement | undefined;
const menu = h("div", { class: "me-menu head-menu", role: "menu", hidden: true });
byId("thread-tools").append(menu);

function close(refocus: boolean): void {
  if (menu.hidden) return;
  menu.hidden = true;
  opener?.setAttribute("aria-expanded", "false");
  if (refocus) opener?.focus();
}

// item is an entry of a menu, or beside a form, where there is no menu, a button.
function item([label, run, more = {}]: Entry, inMenu: boolean): HTMLElement {
  const role = !inMenu ? undefined : more.checked === undefined ? "menuitem" : "menuitemradio";
  const act = (): void => {
    close(true);
    run();
  };
  return h("button", { role, id: more.id, class: more.danger ? "menu-item danger-text" : "menu-item",
    tabindex: inMenu ? "-1" : undefined, "aria-checked": more.checked === undefined ? undefined : String(more.checked), onclick: act },
    h("span", {}, label), !!more.hint && h("small", {}, more.hint));
}

function openMenu(from: HTMLElement, label: string, entries: Entry[], ...below: Node[]): void {
  const again = opener === from && !menu.hidden;
  close(false);
  if (again) return;
  opener = from;
  from.setAttribute("aria-expanded", "true");
  menu.setAttribute("aria-label", label);
  menu.role = below.length ? "group" : "menu";
  menu.replaceChildren(...entries.map((entry) => item(entry, !below.length)), ...below);
  menu.hidden = false;
  const first = menu.querySelector<HTMLElement>("button, input");
  first?.setAttribute("tabindex", "0");
  first?.focus();
}

function step(by: number): void {
  const items = [...menu.querySelectorAll<HTMLElement>(".menu-item")];
  const at = items.indexOf(document.activeElement as HTMLElement);
  items[(at + by + items.length) % items.length]?.focus();
}

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
document.addEventListener("pointerdown", (e) => {
  const at = e.target as Node;
  if (!menu.contains(at) && !opener?.contains(at)) close(false);
});

// assign offers the people of the team.
export async function assign(from: HTMLElement): Promise<void> {
  const s = current();
  const found = await attempt(call<{ people: { id: string; name: string }[] }>("GET", "/people"), "The team could not be loaded");
  if (!s || !found) return;
  const others = found.people.filter((p) => p.id !== myId);
  const own: Entry[] = myId ? [["Me (" + me + ")", () => put(s, { assignee: myId }), { checked: s.assignee?.id === myId }]] : [];
  const entries = others.map((p): Entry => [p.name, () => put(s, { assignee: p.id }), { checked: s.assignee?.id === p.id }]);
  openMenu(from, "Assign", [...own, ...entries, ["Nobody", () => put(s, { assignee: null }), { checked: !s.assignee }]]);
}

// at returns a time on the day a number of days from now.
function at(days: number, hour: number): Date {
  const time = new Date();
  time.setDate(time.getDate() + days);
  time.setHours(hour, 0, 0, 0);
  return time;
}

function times(): [string, Date][] {
  const now = new Date();
  const evening: [string, Date][] = now.getHours() < 17 ? [["This evening", at(0, 18)]] : [];
  const monday = (8 - now.getDay()) % 7 || 7;
  const week: [string, Date][] = monday > 1 && monday < 7 ? [["Monday morning", at(monday, 9)]] : [];
  return [["In an hour", new Date(Date.now() + 3_600_000)], ...evening, ["Tomorrow morning", at(1, 9)], ...week, ["In a week", at(7, 9)]];
}

// snooze offers times to come back to the conversation.
export function snooze(from: HTMLElement): void {
  const s = current();
  if (!s) return;
  const until = (time: Date) => () => put(s, { snoozedUntil: time.toISOString() });
  const entries = times().map(([label, time]): Entry =>
    [label, until(time), { hint: time.toLocaleString([], { weekday: "short", hour: "numeric", minute: "2-digit" }) }]);
  const field = h("input", { class: "input", type: "datetime-local", "aria-label": "Until" });
  const other = h("form", { class: "menu-form", onsubmit: (e: Event) => {
    e.preventDefault();
    const time = new Date(field.value);
    if (missing([[field, "Choose a date and a time."]])) return;
    void put(s, { snoozedUntil: time.toISOString() }, (error) => refused(error, { snoozedUntil: field }))
      .then((done) => done && close(true));
  } }, field, h("button", { class: "button small", type: "submit" }, "Snooze"));
  if (s.snoozedUntil) entries.unshift(["End the snooze", () => put(s, { snoozedUntil: null }), { hint: fullTime(s.snoozedUntil) }]);
  openMenu(from, "Snooze", entries, other);
}

function tagField(s: Session): Node {
  const known = h("datalist", { id: "known-tags" }, ...(state.counts?.tags ?? []).map((t) => h("option", { value: t.name })));
  const field = h("input", { class: "input", list: "known-tags", maxlength: "40", placeholder: "Add a tag", "aria-label": "Add a tag",
    autocomplete: "off" });
  const list = h("div", { class: "tag-list" });
  const draw = (): void => {
    const tags = state.sessions.get(s.id)?.tags ?? [];
    list.replaceChildren(...tags.map((tag) =>
      h("button", { class: "tag label", "aria-label": "Remove the tag " + tag,
        onclick: () => change({ removeTags: [tag] }) }, tag + " ×")));
  };
  const change = async (tags: { addTags?: string[]; removeTags?: string[] }): Promise<void> => {
    if (await put(s, tags, (error) => mark(field, refused(error, {})))) {
      field.value = "";
      draw();
    }
    field.focus();
  };
  draw();
  return h("form", { class: "menu-form tags-form", onsubmit: (e: Event) => {
    e.preventDefault();
    const tag = field.value.trim();
    if (tag) void change({ addTags: [tag] });
  } }, list, field, known, h("button", { class: "button small", type: "submit" }, "Add"));
}

// tags opens the tags of the conversation.
export function tags(from: HTMLElement): void {
  const s = current();
  if (s) openMenu(from, "Tags", [], tagField(s));
}

async function act(s: Session, verb: string, what: string): Promise<void> {
  await attempt(call("POST", sessionPath(s.id) + "/" + verb, {}), what);
}

async function erase(s: Session): Promise<void> {
  if (!(await ask("Delete this conversation with all its messages and files? This cannot be undone.", "Delete permanently"))) return;
  await attempt(call("DELETE", sessionPath(s.id)), "Could not delete");
}

// more offers what is rarer.
export function more(from: HTMLElement): void {
  const s = current();
  if (!s) return;
  const entries: Entry[] = [["Tags…", () => tags(from), { id: "menu-tags" }],
    ["Mark as unread", () => markUnread(s.id), { id: "menu-unread", hint: "u" }]];
  if (!s.csat?.askedAt) entries.push(["Ask for a rating", async () => {
    await act(s, "csat", "Could not ask");
    set({ answer: "The visitor is asked for a rating." });
  }, { id: "menu-csat" }]);
  entries.push([s.blocked ? "Unblock visitor" : "Block visitor", () => act(s, s.blocked ? "unblock" : "block", "Could not change"),
    { id: "block" }]);
  if (administrator) entries.push(["Delete permanently…", () => erase(s), { id: "erase", danger: true }]);
  openMenu(from, "More", entries);
}
