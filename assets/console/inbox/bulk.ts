// What can be done with all selected conversations at once: the bar below the list.

import { call } from "../net/api";
import { byId, h, iconButton } from "../ui/dom";
import { mark } from "../ui/fields";
import { keepFocus } from "../ui/focus";
import { me, myId } from "../state/me";
import { listed } from "./list";
import { makeMenu } from "./menu";
import type { Entry } from "./menu";
import { attempt, changed, set, state, subscribe } from "../state/store";
import type { State } from "../state/store";
import { hint, times } from "./times";
import { plural } from "../ui/sentences";
import { tr } from "../ui/texts";

interface Result {
  id: string;
  ok: boolean;
  error?: string;
}

// portion is how many conversations one request changes, so that the bar shows how far it got.
const portion = 25;

let busy = "";

const count = h("b", { role: "status" });
const button = (id: string, name: string, onclick: (e: Event) => unknown, menu = false): HTMLElement =>
  h("button", { class: "button small", type: "button", id: "bulk-" + id, onclick, "aria-haspopup": menu && "menu",
    "aria-expanded": menu && "false" }, name);
const buttons = h("div", { class: "bulk-buttons" },
  button("close", tr("Close"), () => changeAll(tr("Closing"), { status: "closed" })),
  button("reopen", tr("Reopen"), () => changeAll(tr("Reopening"), { status: "open" })),
  myId ? button("assign", tr("Assign"), (e) => assign(e.currentTarget as HTMLElement), true) : "",
  button("tag", tr("Tag"), (e) => tag(e.currentTarget as HTMLElement), true),
  button("snooze", tr("Snooze"), (e) => snooze(e.currentTarget as HTMLElement), true),
  button("read", tr("Mark as unread"), () => changeAll(tr("Marking"), { unread: !anyUnread() })));
const bar = h("div", { class: "bulk", id: "bulk", role: "group", "aria-label": tr("Selected conversations"), hidden: true },
  h("div", { class: "bulk-head" }, count, h("button", { class: "link-button", type: "button", onclick: all }, tr("Select all")),
    iconButton("cross", tr("Clear the selection"), clear)),
  buttons);
const menu = makeMenu(bar);

function clear(): void {
  set({ picked: null });
}

// all selects what is listed: the rest of a long list is not loaded yet.
function all(): void {
  set({ picked: [...listed(state)] });
}

const sessions = (of: State = state) => (of.picked ?? []).flatMap((id) => of.sessions.get(id) ?? []);

const anyUnread = (): boolean => sessions().some((s) => s.unread);

// changeAll changes all selected conversations, some at a time. What could not be changed stays selected, and with keep
// all of them do.
export async function changeAll(doing: string, change: object, keep = false): Promise<void> {
  const ids = [...(state.picked ?? [])];
  if (!ids.length || busy) return;
  const left: string[] = [];
  let why = "";
  for (let at = 0; at < ids.length; at += portion) {
    progress(doing + " " + (ids.length > portion ? tr("{at} of {n}", { at, n: ids.length }) : ids.length) + "…");
    const work = call<{ results: Result[] }>("POST", "/session-changes", { ids: ids.slice(at, at + portion), ...change });
    const answer = await work.catch((error: Error) => void (why = error.message));
    if (!answer) left.push(...ids.slice(at));
    if (!answer) break;
    const refused = answer.results.filter((r) => !r.ok);
    left.push(...refused.map((r) => r.id));
    why ||= refused[0]?.error ?? "";
  }
  progress("");
  if (left.length) set({ picked: left, failure: tr("{n} of {all} not changed: {why}", { n: left.length, all: ids.length, why }) });
  else if (!keep) clear();
  const n = ids.length - left.length;
  byId("announce").textContent = plural(n, "{n} conversation changed", "{n} conversations changed");
}

function progress(text: string): void {
  busy = text;
  draw(state);
}

async function assign(from: HTMLElement): Promise<void> {
  const found = await attempt(call<{ people: { id: string; name: string }[] }>("GET", "/people"), tr("The team could not be loaded"));
  if (!found) return;
  const to = (name: string, id: string | null): Entry => [name, () => changeAll(tr("Assigning"), { assignee: id }, true)];
  const others = found.people.filter((p) => p.id !== myId).map((p) => to(p.name, p.id));
  menu.open(from, tr("Assign"), [to(tr("Me ({me})", { me }), myId), ...others, to(tr("Nobody"), null)]);
}

function snooze(from: HTMLElement): void {
  const until = (time: Date | null) => () => changeAll(tr("Snoozing"), { snoozedUntil: time && time.toISOString() });
  const entries = times().map(([label, time]): Entry => [label, until(time), { hint: hint(time) }]);
  if (sessions().some((s) => s.snoozedUntil)) entries.unshift([tr("End the snooze"), until(null)]);
  menu.open(from, tr("Snooze"), entries);
}

function tag(from: HTMLElement): void {
  const known = h("datalist", { id: "bulk-tags" }, ...(state.counts?.tags ?? []).map((t) => h("option", { value: t.name })));
  const field = h("input", { class: "input", list: "bulk-tags", maxlength: "40", placeholder: tr("Add a tag"),
    "aria-label": tr("Add a tag"),
    autocomplete: "off" });
  const had = [...new Set(sessions().flatMap((s) => s.tags))].sort();
  const change = (tags: object): void => {
    menu.close(true);
    void changeAll(tr("Tagging"), tags, true);
  };
  const remove = had.map((name) => h("button", { class: "tag label", type: "button", "aria-label": tr("Remove the tag {name}", { name }),
    onclick: () => change({ removeTags: [name] }) }, name + " ×"));
  menu.open(from, tr("Tags"), [], h("form", { class: "menu-form tags-form", onsubmit: (e: Event) => {
    e.preventDefault();
    const name = field.value.trim();
    if (!name) return mark(field, tr("Enter a tag."));
    change({ addTags: [name] });
  } }, h("div", { class: "tag-list" }, ...remove), field, known, h("button", { class: "button small", type: "submit" }, tr("Add"))));
}

function draw(now: State): void {
  const picked = sessions(now);
  keepFocus(() => {
    bar.hidden = !now.picked;
    const text = busy || (picked.length ? tr("{n} selected", { n: picked.length }) : tr("Select conversations"));
    if (count.textContent !== text) count.textContent = text;
    for (const b of buttons.querySelectorAll("button")) b.disabled = !!busy || !picked.length;
    byId("bulk-close").hidden = picked.length > 0 && !picked.some((s) => s.status === "open");
    byId("bulk-reopen").hidden = !picked.some((s) => s.status === "closed");
    byId("bulk-read").textContent = anyUnread() ? tr("Mark as read") : tr("Mark as unread");
  }, now.selected);
}

// escape clears the selection before Escape leaves the conversation.
function escape(e: KeyboardEvent): void {
  const busyElsewhere = (e.target as Element).closest("input:not(.pick), textarea, dialog, .me-menu:not([hidden])");
  if (e.key !== "Escape" || !state.picked || state.page || busyElsewhere) return;
  e.stopPropagation();
  clear();
}

export function wireBulk(): void {
  byId("list-scroll").after(bar);
  subscribe((now, before) => changed(now, before, "picked", "sessions") && (now.picked || before.picked) && draw(now));
  document.addEventListener("keydown", escape, { capture: true });
  draw(state);
}
