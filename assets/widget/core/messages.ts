// messages.ts merges what the server sends into the state. Everything here is
// a pure function, so a fact that arrives twice changes nothing.

import type { Entry, Message, State } from "../types";

type Data = Record<string, unknown>;
type Patch = Partial<State>;

/**
 * Where messages belong: in place of what is held of them, at the end as the
 * stream's next, at the end as its answer came before its event did, or as a
 * page, the newest or the one before what is held. Clocks have no say in it.
 */
type Place = "held" | "next" | "sent" | "newest" | "older";

/**
 * merge holds each id once, in the server's order. A newer object wins, but
 * does not take away marks that an older one lacks.
 */
export function merge(held: Message[], incoming: Message[], place: Place): Message[] {
  const [one] = incoming;
  // In a burst, most come one by one and are new.
  if (place === "next" && one && !incoming[1] && !held.at(-1)?.unplaced && !held.some((m) => m.id === one.id)) {
    return [...held, one];
  }
  const old = new Map(held.map((m) => [m.id, m]));
  const fresh = new Map(incoming.map((m) => [m.id, { ...old.get(m.id), ...m, unplaced: false }]));
  const isFresh = (m: Message) => fresh.has(m.id);
  const isNew = (m: Message) => !old.has(m.id);
  const list = [...fresh.values()];
  if (place === "older") return [...list.filter(isNew), ...held];
  const waiting = held.filter((m) => m.unplaced && !isFresh(m));
  if (place === "newest") {
    // Messages held before the page stay if the two join.
    return [...held.slice(0, Math.max(0, held.findIndex(isFresh))), ...list, ...waiting];
  }
  const known = held.map((m) => (isFresh(m) ? { ...fresh.get(m.id)!, unplaced: m.unplaced } : m));
  if (place === "held") return known;
  if (place === "sent") return [...known, ...list.filter(isNew).map((m) => ({ ...m, unplaced: true }))];
  const placed = known.filter((m) => !m.unplaced);
  return [...placed, ...list.filter((m) => isNew(m) || old.get(m.id)!.unplaced), ...waiting];
}

/** withMessages adds messages, and drops the pending ones that they confirm. */
export function withMessages(state: State, incoming: Message[], place: Place): Patch {
  const confirmed = new Set(incoming.map((m) => m.clientId));
  const messages = merge(state.messages, incoming, place);
  return {
    messages,
    unread: unreadIds(messages).length,
    pending: state.pending.filter((p) => !confirmed.has(p.clientId)),
  };
}

/** withReceipt marks messages as delivered or read. */
export function withReceipt(state: State, ids: string[], status: string, at: string): Patch {
  const marked = new Set(ids);
  const messages = state.messages.map((m) => (marked.has(m.id) ? mark(m, status, at) : m));
  return { messages, unread: unreadIds(messages).length };
}

function mark(m: Message, status: string, at: string): Message {
  const deliveredAt = m.deliveredAt || at;
  return status === "read" ? { ...m, deliveredAt, readAt: m.readAt || at } : { ...m, deliveredAt };
}

/** withEntry notes what happened behind the newest message, once. */
export function withEntry(state: State, type: string, at: string): Patch {
  const { timeline, messages } = state;
  if (timeline.some((e) => e.type === type && e.at === at)) return {};
  // A message of the same moment came with it, and behind it.
  const after = messages.findLast((m) => m.timestamp !== at)?.id || "";
  return { timeline: [...timeline, { type, at, after, data: {} }] };
}

/** withPage keeps what is noted about messages that a newer page joins. */
export function withPage(state: State, page: Entry[] = []): Patch {
  const kept = state.timeline.filter((e) => !page.some((p) => p.type === e.type && (p.at === e.at || e.data.score)));
  return { timeline: [...kept, ...page] };
}

/** unreadIds lists what the visitor has not seen yet. */
export function unreadIds(messages: Message[]): string[] {
  return messages.filter((m) => m.sender !== "visitor" && !m.readAt && !m.deletedAt).map((m) => m.id);
}

const back = ({ backAt }: Data) => ({ backAt: backAt as string | undefined });

/** applyEvent gives the change that one event of the stream makes. */
export function applyEvent(state: State, name: string, data: Data): Patch {
  switch (name) {
    case "message":
      return { ...withMessages(state, [data as unknown as Message], "next"), typing: null };
    case "message_edited":
    case "message_deleted":
      // An edit of a message too old to be loaded changes nothing: it comes edited.
      return withMessages(state, [data as unknown as Message], "held");
    case "message_read":
      return withReceipt(state, data.messageIds as string[], data.status as string, data.at as string);
    case "csat_request":
      return { csat: { askedAt: data.at as string } };
    case "session_closed":
      return { closed: true, typing: null, ...withEntry(state, name, data.at as string) };
    case "session_reopened":
      return { closed: false, ...withEntry(state, name, data.at as string) };
    case "connected":
      return { operatorOnline: !!data.operatorOnline, ...back(data), closed: data.status === "closed" };
    case "typing":
      return { typing: data.active ? (data.operatorName as string) || "" : null };
    case "operator_status":
      return { operatorOnline: !!data.online, ...back(data) };
    case "ai_takeover":
      return { ai: !!data.active, askContact: !!data.askContact };
    case "config":
      return { config: data.config as State["config"] };
    default:
      return {};
  }
}
