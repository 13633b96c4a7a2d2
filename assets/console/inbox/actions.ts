// Actions on a conversation: assign, snooze, tag, ask for a rating, block, delete. Loaded when one of the menus in its
// header is first opened.

import { call, sessionPath } from "../net/api";
import { ask } from "../ui/ask";
import { byId, h } from "../ui/dom";
import { mark, missing, refused } from "../ui/fields";
import { fullTime } from "../ui/format";
import { administrator, me, myId } from "../state/me";
import { makeMenu } from "./menu";
import type { Entry } from "./menu";
import { put } from "./organise";
import { hint, times } from "./times";
import { markUnread } from "./unread";
import { attempt, current, set, state } from "../state/store";
import type { Session } from "../types";
import { tr } from "../ui/texts";

const { open: openMenu, close } = makeMenu(byId("thread-tools"));

// assign offers the people of the team.
export async function assign(from: HTMLElement): Promise<void> {
  const s = current();
  const found = await attempt(call<{ people: { id: string; name: string }[] }>("GET", "/people"), tr("The team could not be loaded"));
  if (!s || !found) return;
  const others = found.people.filter((p) => p.id !== myId);
  const own: Entry[] = myId ? [[tr("Me ({me})", { me }), () => put(s, { assignee: myId }), { checked: s.assignee?.id === myId }]] : [];
  const entries = others.map((p): Entry => [p.name, () => put(s, { assignee: p.id }), { checked: s.assignee?.id === p.id }]);
  openMenu(from, tr("Assign"), [...own, ...entries, [tr("Nobody"), () => put(s, { assignee: null }), { checked: !s.assignee }]]);
}

// snooze offers times to come back to the conversation.
export function snooze(from: HTMLElement): void {
  const s = current();
  if (!s) return;
  const until = (time: Date) => () => put(s, { snoozedUntil: time.toISOString() });
  const entries = times().map(([label, time]): Entry => [label, until(time), { hint: hint(time) }]);
  const field = h("input", { class: "input", type: "datetime-local", "aria-label": tr("Until") });
  const other = h("form", { class: "menu-form", onsubmit: (e: Event) => {
    e.preventDefault();
    const time = new Date(field.value);
    if (missing([[field, tr("Choose a date and a time.")]])) return;
    void put(s, { snoozedUntil: time.toISOString() }, (error) => refused(error, { snoozedUntil: field }))
      .then((done) => done && close(true));
  } }, field, h("button", { class: "button small", type: "submit" }, tr("Snooze")));
  if (s.snoozedUntil) entries.unshift([tr("End the snooze"), () => put(s, { snoozedUntil: null }), { hint: fullTime(s.snoozedUntil) }]);
  openMenu(from, tr("Snooze"), entries, other);
}

function tagField(s: Session): Node {
  const known = h("datalist", { id: "known-tags" }, ...(state.counts?.tags ?? []).map((t) => h("option", { value: t.name })));
  const field = h("input", { class: "input", list: "known-tags", maxlength: "40", placeholder: tr("Add a tag"),
    "aria-label": tr("Add a tag"),
    autocomplete: "off" });
  const list = h("div", { class: "tag-list" });
  const draw = (): void => {
    const tags = state.sessions.get(s.id)?.tags ?? [];
    list.replaceChildren(...tags.map((tag) =>
      h("button", { class: "tag label", "aria-label": tr("Remove the tag {tag}", { tag }),
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
  } }, list, field, known, h("button", { class: "button small", type: "submit" }, tr("Add")));
}

// tags opens the tags of the conversation.
export function tags(from: HTMLElement): void {
  const s = current();
  if (s) openMenu(from, tr("Tags"), [], tagField(s));
}

async function act(s: Session, verb: string, what: string): Promise<void> {
  await attempt(call("POST", sessionPath(s.id) + "/" + verb, {}), what);
}

async function erase(s: Session): Promise<void> {
  if (!(await ask(tr("Delete this conversation with all its messages and files? This cannot be undone."),
    tr("Delete permanently")))) return;
  await attempt(call("DELETE", sessionPath(s.id)), tr("Could not delete"));
}

// byMail sends the visitor the conversation, if the address is the visitor's.
async function byMail(s: Session): Promise<void> {
  const sent = await attempt(call<{ outcome: string }>("POST", sessionPath(s.id) + "/transcript", {}), tr("Could not send"));
  const answers: Record<string, string> = {
    waiting: tr("The transcript is on its way to the visitor."),
    asked: tr("The visitor has not confirmed the address yet. It gets an e-mail that asks for that, and no transcript."),
    unconfirmed: tr("Not sent: the visitor has not confirmed the address."),
    stopped: tr("Not sent: the visitor wants no e-mails."),
    refused: tr("Not sent: e-mails do not reach the address."),
    limit: tr("Not sent: there were three transcripts today."),
  };
  if (sent) set({ answer: answers[sent.outcome] ?? "" });
}

// keep offers the conversation to take along. Files are saved; the page to print opens beside the console.
function keep(from: HTMLElement, s: Session): void {
  const path = "/api/admin" + sessionPath(s.id);
  const zone = encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC");
  const save = (href: string) => () => h("a", { href, download: "" }).click();
  const mailed: Entry[] = document.body.dataset["mails"] === "true" && s.identity?.["email"]
    ? [[tr("Send to the visitor by e-mail"), () => byMail(s), { id: "menu-mail" }]] : [];
  openMenu(from, tr("Print or export"), [
    [tr("Print or save as PDF"), () => window.open(path + "/transcript?timezone=" + zone, "_blank", "noopener"), { id: "menu-print" }],
    [tr("Transcript as text"), save(path + "/transcript?format=text&timezone=" + zone), { id: "menu-text" }],
    [tr("Everything as JSON"), save(path + "/export"), { id: "menu-json", hint: tr("with notes") }],
    ...mailed,
  ]);
}

// more offers what is rarer.
export function more(from: HTMLElement): void {
  const s = current();
  if (!s) return;
  const entries: Entry[] = [[tr("Tags…"), () => tags(from), { id: "menu-tags" }],
    [tr("Mark as unread"), () => markUnread(s.id), { id: "menu-unread", hint: "u" }]];
  entries.push([tr("Print or export…"), () => keep(from, s), { id: "menu-keep" }]);
  if (!s.csat?.askedAt) entries.push([tr("Ask for a rating"), async () => {
    await act(s, "csat", tr("Could not ask"));
    set({ answer: tr("The visitor is asked for a rating.") });
  }, { id: "menu-csat" }]);
  if (!s.blocked) entries.push([tr("Merge with another conversation…"), async () =>
    (await attempt(import("./merge"), tr("Not loaded")))?.merge(s), { id: "menu-merge" }]);
  entries.push([s.blocked ? tr("Unblock visitor") : tr("Block visitor"), () =>
    act(s, s.blocked ? "unblock" : "block", tr("Could not change")),
    { id: "block" }]);
  if (administrator) entries.push([tr("Delete permanently…"), () => erase(s), { id: "erase", danger: true }]);
  openMenu(from, tr("More"), entries);
}
