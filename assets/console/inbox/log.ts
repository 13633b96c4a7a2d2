// The open session's history: messages, day separators and timeline, and where it is scrolled to.

import { byId, h, on, syncChildren } from "../ui/dom";
import { dayKey, dayName } from "../ui/format";
import { loadNewer, loadOlder, showMessage, toNewest } from "../net/load";
import { messageItem, origin, undeliveredLine } from "./message";
import { pendingOf } from "../state/pending";
import { changed, set, state } from "../state/store";
import type { State, View } from "../state/store";
import { entryItem } from "./timeline";
import type { Entry, Message } from "../types";

const together = 5 * 60_000;
const nearEnd = 80;

const items = new Map<string, { item: HTMLLIElement; shows: unknown[] }>();
let stick = true;
let lastTop = 0;
let lastEnd = 0;

// keep reuses the item of a key while what it shows is the same.
function keep(key: string, shows: unknown[], make: () => HTMLLIElement): HTMLLIElement {
  const old = items.get(key);
  if (old && shows.length === old.shows.length && shows.every((value, i) => value === old.shows[i])) return old.item;
  const item = make();
  items.set(key, { item, shows });
  return item;
}

// waitingDraft is the draft that !send would send: the newest, unless somebody answered behind it.
function waitingDraft(messages: readonly Message[]): Message | undefined {
  const last = messages.findLast((m) => (m.draft && !m.sentAt && !m.deletedAt) || (!m.internal && m.sender !== "visitor"));
  return last?.draft ? last : undefined;
}

function dayItem(at: string): HTMLLIElement {
  const name = dayName(at);
  return keep(dayKey(at), [name], () => h("li", { class: "day" }, h("span", {}, name)));
}

// follows reports whether b continues a, so that the name need not be repeated.
function follows(a: Message, b: Message): boolean {
  const same = a.sender === b.sender && a.internal === b.internal && a.operatorName === b.operatorName && origin(a) === origin(b);
  return same && dayKey(a.timestamp) === dayKey(b.timestamp) && Date.parse(b.timestamp) - Date.parse(a.timestamp) < together;
}

// entries puts the timeline between the messages and separates the days.
function entries(now: State): HTMLLIElement[] {
  const { timeline, undelivered } = now;
  const messages = [...now.messages, ...pendingOf(now.selected, now)];
  const byKey = new Map(messages.map((m) => [m.id, m]));
  const behind: Record<string, Entry[]> = {};
  for (const e of timeline) (behind[e.after] ??= []).push(e);
  const marks = (id: string): HTMLLIElement[] => (behind[id] ?? []).map((e, i) => keep(id + "/" + i, [e.type, e.at], () => entryItem(e)));
  const out: HTMLLIElement[] = marks("");
  const waiting = waitingDraft(now.messages);
  let last: Message | undefined;
  for (const [i, m] of messages.entries()) {
    if (!last || dayKey(last.timestamp) !== dayKey(m.timestamp)) out.push(dayItem(m.timestamp));
    const first = !last || !!behind[last.id] || !follows(last, m);
    const next = messages[i + 1];
    const end = !next || !!behind[m.id] || !follows(m, next);
    const quote = byKey.get(m.replyTo ?? "");
    const stuck = undelivered.filter((u) => u.messageId === m.id);
    const place = { first, end, quote, jump: showMessage, stuck, waits: m === waiting };
    out.push(keep(m.id, [m, first, end, quote, m === waiting, ...stuck], () => messageItem(m, place)));
    last = m;
    out.push(...marks(m.id));
  }
  return out;
}

// toTarget shows the message that was asked for, once.
function toTarget(id: string): void {
  const item = items.get(id)?.item;
  if (!item?.isConnected) return;
  stick = false;
  item.scrollIntoView({ block: "center" });
  item.focus({ preventScroll: true });
  queueMicrotask(() => set({ target: "" }));
}

function toEnd(): void {
  byId("log").scrollTop = byId("log").scrollHeight;
}

// scrolled leaves the end only when the operator scrolls up, not when the content grows or shrinks.
function scrolled(): void {
  const log = byId("log");
  const top = log.scrollTop;
  const end = log.scrollHeight - log.clientHeight;
  stick = end - top < nearEnd || (stick && (top >= lastTop || end !== lastEnd));
  lastTop = top;
  lastEnd = end;
  byId("to-end").hidden = stick && !state.hasNewer;
  loadNear(top, end);
}

// loadNear loads what follows an end that is near.
function loadNear(top: number, end: number): void {
  if (top < 200) void loadOlder();
  if (end - top < 200) void loadNewer();
}

// resized keeps the end in sight. A page that does not fill the log cannot be scrolled to load the next one.
function resized(): void {
  const log = byId("log");
  if (stick) toEnd();
  if (state.threadPhase === "ready" && log.clientHeight) loadNear(log.scrollTop, log.scrollHeight - log.clientHeight);
}

// anchor notes where the first message in sight stands, and returns a function that puts it there again.
function anchor(log: HTMLElement): () => void {
  const top = log.getBoundingClientRect().top;
  const item = [...log.querySelectorAll<HTMLElement>(".message")].find((li) => li.getBoundingClientRect().bottom > top);
  const at = item?.getBoundingClientRect().top ?? 0;
  return () => {
    const now = items.get(item?.dataset["id"] ?? "")?.item; // it may be another element
    if (now?.isConnected) log.scrollTop += now.getBoundingClientRect().top - at;
  };
}

// logView follows the newest message while the operator is at the end, and holds its place when older ones come.
export const logView: View = (now, before) => {
  if (!changed(now, before, "messages", "outbox", "timeline", "undelivered", "typing", "selected", "target")) return;
  if (now.selected !== before.selected) {
    items.clear();
    stick = true;
  }
  const log = byId("log");
  const part = now.hasNewer || before.hasNewer;
  const restore = stick && !part ? () => undefined : anchor(log);
  syncChildren(byId("messages"), entries(now));
  byId("undelivered").replaceChildren(...now.undelivered.filter((u) => !u.messageId).slice(-3).map(undeliveredLine));
  const typing = now.typing[now.selected];
  byId("typing").hidden = typing !== ""; // of the others the line above the composer tells
  if (now.target) toTarget(now.target);
  else if (!part && (stick || now.outbox.length > before.outbox.length)) toEnd();
  else restore();
};

export function wireLog(): void {
  const log = byId("log");
  const sizes = new ResizeObserver(resized);
  sizes.observe(log);
  sizes.observe(byId("messages"));
  on("to-end", "click", () => {
    stick = true;
    toNewest();
    toEnd();
  });
  on("log", "scroll", scrolled);
}
