// Loading the list and the open session, and keeping stream events in step with what is loaded.

import { ApiError, call, sessionPath } from "./api";
import { sorted, withSession } from "../state/events";
import { attempt, current, set, state } from "../state/store";
import type { State } from "../state/store";
import type { Counts, Entry, Message, Session } from "../types";
import { tr } from "../ui/texts";

interface SessionPage {
  sessions: Session[];
  nextCursor?: string;
}

interface MessagePage {
  messages: Message[];
  timeline: Entry[];
  hasMore: boolean;
}

const pageSize = 50;

// messagePage is small: each message of it is drawn at once.
const messagePage = 30;

// mostShown bounds the messages in the page: of a longer history the other end is left out.
const mostShown = 300;

let loads = 0;
let held: (() => void)[] = [];
let listTicket = 0;
let reloading = false;
let again = false;
const refreshTimers: Record<string, number> = {};

// inStep runs an event's work now, or after the snapshots that are being loaded.
export function inStep(work: () => void): void {
  if (loads > 0) held.push(work);
  else work();
}

// snapshot holds stream events back while their base is being loaded.
async function snapshot<T>(work: Promise<T>, apply: (answer: T) => void): Promise<void> {
  loads++;
  try {
    apply(await work);
  } finally {
    loads--;
    if (loads === 0) for (const waiting of held.splice(0)) inStep(waiting);
  }
}

// reload updates list and thread after a gap in the stream.
export async function reload(): Promise<void> {
  again = reloading;
  if (reloading) return;
  reloading = true;
  count(0);
  await Promise.all([loadList(), loadThread()]);
  reloading = false;
  if (again) await reload();
}

// show changes which sessions are listed.
export function show(change: Partial<Pick<State, "filter" | "query" | "whose" | "tag" | "site">>): void {
  const parts = Object.entries(change) as [keyof State, string][];
  if (!("site" in change) && parts.every(([name, value]) => state[name] === value)) return;
  set({ ...change, allFound: false, order: [], nextCursor: "", listPhase: "loading" });
  void loadList();
}

let countTimer = 0;

// count asks how many conversations each list has, soon and once. An answer that rows have overtaken is asked for again.
export function count(soon = 400): void {
  if (countTimer && soon) return;
  clearTimeout(countTimer);
  countTimer = setTimeout(async () => {
    countTimer = 0;
    const { counts: before, site } = state;
    const counts = await call<Counts>("GET", "/counts?site=" + site).catch(() => undefined);
    if (counts && state.counts === before && state.site === site) set({ counts });
    else if (counts) count();
  }, soon);
}

export async function loadList(cursor = ""): Promise<void> {
  const ticket = ++listTicket;
  const { filter, query, whose, tag, site } = state;
  // A search is one through all conversations.
  const params = new URLSearchParams({ limit: String(pageSize), cursor, q: query, site,
    ...(!query && { status: filter, assignee: whose, tag }) });
  for (const [name, value] of [...params]) if (!value) params.delete(name);
  try {
    await snapshot(call<SessionPage>("GET", "/sessions?" + params), (page) => {
      if (ticket === listTicket) putList(page, cursor ? state.order : []);
    });
  } catch {
    if (ticket === listTicket) set({ listPhase: "failed" });
  }
  attend();
}

function putList(page: SessionPage, before: readonly string[]): void {
  const sessions = state.sessions.with(page.sessions);
  const ids = new Set([...before, ...page.sessions.map((s) => s.id)]);
  set({ sessions, order: sorted([...ids], sessions), nextCursor: page.nextCursor ?? "", listPhase: "ready" });
}

export function loadMore(): void {
  const cursor = state.nextCursor;
  set({ nextCursor: "" });
  if (cursor) void loadList(cursor);
}

// open shows a session, at one of its messages if that is named; "" shows none.
export function open(id: string, message = ""): void {
  if (id === state.selected) return void (message && showMessage(message));
  set({
    selected: id, threadPhase: "loading", messages: [], timeline: [], undelivered: [], hasOlder: false, hasNewer: false,
    target: "", answer: "", quote: null, editing: null,
  });
  void loadThread().then(() => (message ? showMessage(message) : undefined));
}

// showMessage scrolls to a message, and loads its part of the history unless it is there.
export async function showMessage(id: string): Promise<void> {
  const { selected, messages } = state;
  if (messages.some((m) => m.id === id)) return set({ target: id });
  const path = sessionPath(selected) + "/messages?limit=" + messagePage / 2;
  const found = await attempt(snapshotOf(path, id), tr("The message could not be loaded"));
  if (!found || selected !== state.selected) return;
  const [older, newer] = found;
  set({
    messages: [...older.messages, ...newer.messages], timeline: [...older.timeline, ...newer.timeline],
    hasOlder: older.hasMore, hasNewer: newer.hasMore, target: id,
  });
}

// snapshotOf loads the messages up to one, and those behind it.
async function snapshotOf(path: string, id: string): Promise<[MessagePage, MessagePage]> {
  const newer = await call<MessagePage>("GET", path + "&after=" + id);
  const first = newer.messages[0];
  const older = await call<MessagePage>("GET", path + (first ? "&before=" + first.id : ""));
  return [older, newer];
}

export async function loadThread(): Promise<void> {
  const id = state.selected;
  if (!id) return;
  const path = sessionPath(id);
  const wanted = Promise.all([call<Session>("GET", path), call<MessagePage>("GET", path + "/messages?limit=" + messagePage)]);
  try {
    await snapshot(wanted, (answers) => putThread(...answers));
  } catch (error) {
    const missing = error instanceof ApiError && error.status === 404;
    if (id === state.selected) set({ threadPhase: missing ? "missing" : "failed" });
  }
  attend();
}

// putThread keeps older pages when the newest page joins them without a gap.
function putThread(session: Session, page: MessagePage): void {
  if (session.id !== state.selected) return;
  const old = state.messages;
  const joins = old.findIndex((m) => m.id === page.messages[0]?.id);
  const kept = new Set(old.slice(0, Math.max(joins, 0)).map((m) => m.id));
  set({
    ...withSession(session),
    undelivered: session.undelivered ?? [],
    // Lines before all messages of the page come with the first page only.
    timeline: [...state.timeline.filter((e) => kept.has(e.after) || (joins > 0 && !e.after)), ...page.timeline],
    messages: [...old.slice(0, Math.max(joins, 0)), ...page.messages],
    hasOlder: joins > 0 ? state.hasOlder : page.hasMore,
    hasNewer: false,
    threadPhase: "ready",
    outbox: state.outbox.filter((p) => !page.messages.some((m) => m.clientId === p.clientId)),
  });
}

export async function loadOlder(): Promise<void> {
  const { selected, messages, hasOlder } = state;
  const first = messages[0];
  if (!hasOlder || !first) return;
  set({ hasOlder: false });
  const path = sessionPath(selected) + "/messages?limit=" + messagePage + "&before=" + first.id;
  const page = await attempt(call<MessagePage>("GET", path), tr("Older messages"));
  if (first.id !== state.messages[0]?.id) return; // reloaded meanwhile: the page does not join
  if (!page) return set({ hasOlder });
  const all = [...page.messages, ...state.messages];
  const kept = all.slice(0, mostShown);
  set({ messages: kept, timeline: within(kept, [...page.timeline, ...state.timeline]), hasOlder: page.hasMore,
    hasNewer: state.hasNewer || all.length > mostShown });
}

// loadNewer loads what follows a part of the history that does not reach its end.
export async function loadNewer(): Promise<void> {
  const { selected, messages, hasNewer } = state;
  const last = messages.at(-1);
  if (!hasNewer || loadingNewer || !last) return;
  loadingNewer = true;
  const path = sessionPath(selected) + "/messages?limit=" + messagePage + "&after=" + last.id;
  const page = await attempt(call<MessagePage>("GET", path), tr("Newer messages"));
  loadingNewer = false;
  if (!page || last !== state.messages.at(-1)) return;
  const all = [...state.messages, ...page.messages];
  const kept = all.slice(-mostShown);
  set({ messages: kept, timeline: within(kept, [...state.timeline, ...page.timeline]), hasNewer: page.hasMore,
    hasOlder: state.hasOlder || all.length > mostShown });
}

let loadingNewer = false;

// within keeps the entries behind messages that are shown.
function within(messages: readonly Message[], timeline: readonly Entry[]): Entry[] {
  const ids = new Set(messages.map((m) => m.id));
  return timeline.filter((e) => !e.after || ids.has(e.after));
}

// toNewest shows the end of the history.
export function toNewest(): void {
  if (!state.hasNewer) return;
  set({ messages: [], timeline: [], target: "", hasNewer: false });
  void loadThread();
}

// attend marks the open session as read while the operator is looking at it.
export function attend(): void {
  const session = current();
  if (!session?.unread || state.threadPhase !== "ready" || !document.hasFocus()) return;
  set(withSession({ ...session, unread: 0 }));
  call("POST", sessionPath(session.id) + "/read", {}).catch(() => refresh(session.id));
}

// refresh asks for one session's current state, soon and once.
export function refresh(id: string): void {
  clearTimeout(refreshTimers[id]);
  refreshTimers[id] = setTimeout(() => fetchSession(id), 300);
}

// gone are the sessions that were erased: what of them is still under way leads to no request.
export const gone = new Set<string>();

export async function fetchSession(id: string): Promise<void> {
  if (gone.has(id)) return;
  await snapshot(call<Session>("GET", sessionPath(id)),
    (s) => set({ ...withSession(s), ...(s.id === state.selected && { undelivered: s.undelivered ?? [] }) })).catch(() => undefined);
  attend();
}
