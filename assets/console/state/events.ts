// Each event of the stream as a change of the state: no requests here.

import { mostCounted } from "../ui/format";
import { myId } from "./me";
import { without } from "./pending";
import type { Change, State } from "./store";
import { state } from "./store";
import type { Attachment, Csat, Message, Session, StreamEvent } from "../types";

type Handler = (session: Session, event: StreamEvent) => Change;

const inList = (s: Session | undefined, list: string): boolean =>
  !!s && (!state.site || s.site === state.site) &&
  !!(list === "waiting" ? s.waitingSince && !s.snoozedUntil : list === "snoozed" ? s.snoozedUntil : !list || s.status === list);

const lists = ["waiting", "open", "closed", "snoozed"] as const;

// recounted moves the counts with a session that was known, so that they never lag behind the rows. A row may be ahead of them.
function recounted(old: Session | undefined, now?: Session): Change {
  const { counts } = state;
  const moved = lists.filter((list) => old && counts && counts[list] < mostCounted && inList(old, list) !== inList(now, list));
  const next = moved.map((list) => [list, Math.max(0, counts![list] + (inList(now, list) ? 1 : -1))]);
  return moved.length ? { counts: { ...counts!, ...Object.fromEntries(next) } } : {};
}

// belongs reports whether a session belongs in the list.
function belongs(s: Session): boolean {
  const { filter, whose, tag, query } = state;
  if (query) return true;
  const theirs = !whose || (whose === "none" ? !s.assignee : s.assignee?.id === myId);
  return inList(s, filter) && theirs && (!tag || s.tags.includes(tag));
}

// withSession replaces one session and puts it into the list if it belongs there.
export function withSession(session: Session): Change {
  const { id } = session;
  const sessions = state.sessions.with([session]);
  const listed = state.order.includes(id);
  const change = { sessions, ...recounted(state.sessions.get(id), session) };
  if (!belongs(session)) return { ...change, order: listed ? state.order.filter((other) => other !== id) : state.order };
  if (!listed && state.query) return change;
  return { ...change, order: placed(id, sessions) };
}

// before reports whether one session sorts before another: by latest activity, or by longest wait.
function before(a: Session | undefined, b: Session | undefined): boolean {
  if (state.filter === "waiting" && !state.query) return (a?.waitingSince ?? "") < (b?.waitingSince ?? "");
  return (a?.lastActivity ?? "") > (b?.lastActivity ?? "");
}

// placed is the order with a session at its place.
function placed(id: string, sessions: State["sessions"]): string[] {
  const order = state.order.filter((other) => other !== id);
  const session = sessions.get(id);
  let low = 0;
  for (let high = order.length; low < high; ) {
    const middle = (low + high) >> 1;
    if (before(session, sessions.get(order[middle] ?? ""))) high = middle;
    else low = middle + 1;
  }
  order.splice(low, 0, id);
  return order;
}

export function withoutSession(id: string): Change {
  return { ...recounted(state.sessions.get(id)), sessions: state.sessions.without(id), order: state.order.filter((other) => other !== id) };
}

// sorted puts the sessions of a list in order.
export function sorted(order: readonly string[], sessions: State["sessions"]): string[] {
  return [...order].sort((a, b) => (before(sessions.get(a), sessions.get(b)) ? -1 : before(sessions.get(b), sessions.get(a)) ? 1 : 0));
}

// withURLs fills in the files' addresses that another copy of the message has.
function withURLs(m: Message, other: Message): Message {
  const find = (a: Attachment): Attachment => (a.url ? a : (other.attachments.find((o) => o.id === a.id) ?? a));
  return { ...m, attachments: m.attachments.map(find) };
}

// withMessage puts a message behind those that the server numbered before it. A known one stays: the answer to
// sending it may come after events that changed it. What waited in the outbox is sent.
export function withMessage(m: Message): Change {
  const { messages, selected } = state;
  const outbox = without(m.clientId);
  if (m.sessionId !== selected || state.hasNewer) return { outbox };
  const known = messages.find((old) => old.id === m.id);
  return { outbox, messages: known ? messages.map((old) => (old === known ? withURLs(old, m) : old)) : [...messages, m] };
}

// noted adds an event to the open session's timeline, behind the newest message:
// before the one that came with it, whose answer may have been faster.
function noted(event: StreamEvent): Change {
  if (event.sessionId !== state.selected || state.hasNewer) return {};
  const at = String(event["at"] ?? event["timestamp"] ?? event["respondedAt"] ?? new Date().toISOString());
  if (state.timeline.some((e) => e.type === event.type && e.at === at)) return {};
  const after = state.messages.findLast((m) => m.timestamp !== at)?.id ?? "";
  return { timeline: [...state.timeline, { type: event.type, at, after, data: event }] };
}

// onMessage counts a message once, also when a snapshot already held it. An answer reads what came before it; what relay itself
// says is none.
function onMessage(session: Session, event: StreamEvent): Change {
  const m = event as unknown as Message;
  const last = session.lastMessage;
  const stale = last && (last.id === m.id || last.timestamp > m.timestamp);
  const waiting = m.sender === "visitor"
    ? { waitingSince: session.blocked ? undefined : (session.waitingSince ?? m.timestamp), snoozedUntil: undefined,
      unread: session.unread + 1 }
    : m.sourceBridge !== "relay" && { waitingSince: undefined, unread: 0 };
  const next = stale ? session : { ...session, ...waiting, lastMessage: m, lastActivity: m.timestamp };
  return { ...withSession(next), ...withMessage(m), typing: { ...state.typing, [session.id]: undefined } };
}

// onNote shows an internal note. The list and what is unread are about the conversation only.
function onNote(_: Session, event: StreamEvent): Change {
  return withMessage(event as unknown as Message);
}

function onChanged(session: Session, event: StreamEvent): Change {
  const m = event as unknown as Message;
  const next = session.lastMessage?.id === m.id ? { ...session, lastMessage: m } : session;
  const messages = state.messages.map((old) => (old.id === m.id ? withURLs({ ...old, ...m }, old) : old));
  return { ...withSession(next), messages };
}

function onRead(session: Session, event: StreamEvent): Change {
  if (session.id !== state.selected) return {};
  const ids = event["messageIds"] as string[];
  const mark = { [event["status"] === "delivered" ? "deliveredAt" : "readAt"]: event["at"] };
  return { messages: state.messages.map((m) => (ids.includes(m.id) ? { ...m, ...mark } : m)) };
}

function onCsat(session: Session, event: StreamEvent): Change {
  const csat = { ...session.csat, ...(event as Csat) };
  return { ...withSession({ ...session, csat }), ...noted(event) };
}

function onIdentity(session: Session, event: StreamEvent): Change {
  const identity = event["identity"] as Record<string, unknown>;
  return withSession({ ...session, identity, verified: event["verified"] === true });
}

// onStatus adds a line once: a click and its event both tell of it. A snapshot may have told the status before.
function onStatus(session: Session, status: Session["status"], event: StreamEvent): Change {
  const calm = status === "closed" && { waitingSince: undefined, snoozedUntil: undefined };
  const last = state.timeline.findLast((e) => /^session_(closed|reopened)$/.test(e.type));
  return { ...withSession({ ...session, status, ...calm }), ...(last?.type !== event.type && noted(event)) };
}

// onSnoozed: a session whose time has come waits again.
function onSnoozed(session: Session, event: StreamEvent): Change {
  const until = event["until"] as string | undefined;
  const waitingSince = until ? session.waitingSince : (session.waitingSince ?? (event["at"] as string));
  return { ...withSession({ ...session, snoozedUntil: until, waitingSince: session.status === "open" ? waitingSince : undefined }),
    ...noted(event) };
}

function onAssigned(session: Session, event: StreamEvent): Change {
  const id = event["assignee"] as string | undefined;
  return { ...withSession({ ...session, assignee: id ? { id, name: String(event["assigneeName"] ?? "") } : undefined }), ...noted(event) };
}

const onEntry: Handler = (_, event) => noted(event);

const handlers: Record<string, Handler> = {
  message: onMessage,
  message_edited: onChanged,
  message_deleted: onChanged,
  note: onNote,
  note_edited: onChanged,
  note_deleted: onChanged,
  message_read: onRead,
  csat_submitted: onCsat,
  identity_update: onIdentity,
  session_closed: (s, e) => onStatus(s, "closed", e),
  session_reopened: (s, e) => onStatus(s, "open", e),
  session_assigned: onAssigned,
  session_tagged: (s, e) => withSession({ ...s, tags: (e["tags"] as string[] | undefined) ?? [] }),
  session_snoozed: onSnoozed,
  csat_request: onEntry,
  custom_event: onEntry,
  session_merged: onEntry,
  unanswered: onEntry,
  mailed: onEntry,
  ai_takeover: (s, e) => ({ ...withSession({ ...s, aiActive: e["active"] === true }), ...noted(e) }),
  session_blocked: (s, e) =>
    withSession({ ...s, blocked: e["blocked"] === true, ...(e["blocked"] === true && { waitingSince: undefined }) }),
  session_unread: (s, e) => withSession({ ...s, unread: Number(e["unread"]) }),
  visitor_disconnect: onEntry,
  visitor_page: (s, e) => withSession({ ...s, metadata: { ...s.metadata, url: String(e["url"]) } }),
  visitor_presence: (s, e) => withSession({ ...s, visitorOnline: e["online"] === true }),
  // A new session's event describes it too briefly for the list: it is loaded.
  new_session: () => ({}),
};

export const eventNames = Object.keys(handlers);

// needsSession reports whether an event cannot be applied before its session is loaded. Presence and page views do
// not count: most of those visitors have written nothing.
export function needsSession(event: StreamEvent): boolean {
  return !/^visitor_p/.test(event.type) && event.type in handlers && !state.sessions.get(event.sessionId);
}

// needsFiles reports whether the thread lacks addresses of files: events come without them.
export function needsFiles(): boolean {
  return state.messages.some((m) => m.attachments.some((a) => !a.url));
}

export function applied(event: StreamEvent): Change {
  const session = state.sessions.get(event.sessionId);
  const handler = handlers[event.type];
  return session && handler ? handler(session, event) : {};
}
