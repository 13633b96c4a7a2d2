// messages.ts merges what the server tells into the state. Everything here is
// a pure function, so a fact that arrives twice changes nothing.

import type { Message, State } from "./types";

type Data = Record<string, unknown>;
type Patch = Partial<State>;

/**
 * merge puts messages in order of time and holds each id once. A newer object
 * wins, but does not take away marks that an older one lacks.
 */
export function merge(held: Message[], incoming: Message[]): Message[] {
  const byId = new Map(held.map((m) => [m.id, m]));
  for (const m of incoming) byId.set(m.id, { ...byId.get(m.id), ...m });
  return [...byId.values()].sort((a, b) => order(a.timestamp, b.timestamp));
}

const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** withMessages adds messages, and drops the pending ones that they confirm. */
export function withMessages(state: State, incoming: Message[]): Patch {
  const confirmed = new Set(incoming.map((m) => m.clientId));
  const messages = merge(state.messages, incoming);
  return {
    messages,
    unread: unreadIds(messages).length,
    pending: state.pending.filter((p) => !confirmed.has(p.clientId)),
  };
}

/** withReceipt marks messages as delivered or read. */
export function withReceipt(state: State, ids: string[], status: string, at: string): Patch {
  const messages = state.messages.map((m) => (ids.includes(m.id) ? mark(m, status, at) : m));
  return { messages, unread: unreadIds(messages).length };
}

function mark(m: Message, status: string, at: string): Message {
  const deliveredAt = m.deliveredAt || at;
  return status === "read" ? { ...m, deliveredAt, readAt: m.readAt || at } : { ...m, deliveredAt };
}

/** unreadIds lists what the visitor has not seen yet. */
export function unreadIds(messages: Message[]): string[] {
  return messages
    .filter((m) => m.sender !== "visitor" && !m.readAt && !m.deletedAt)
    .map((m) => m.id);
}

/** applyEvent gives the change that one event of the stream makes. */
export function applyEvent(state: State, name: string, data: Data): Patch {
  switch (name) {
    case "message":
      return { ...withMessages(state, [data as unknown as Message]), typing: null };
    case "message_edited":
    case "message_deleted":
      return changed(state, data as unknown as Message);
    case "message_read":
      return withReceipt(state, data.messageIds as string[], data.status as string, data.at as string);
    case "csat_request":
      return { csat: { askedAt: data.at as string } };
    case "session_closed":
      return { closed: true, typing: null };
    case "session_reopened":
      return { closed: false };
    case "connected":
      return { operatorOnline: !!data.operatorOnline, closed: data.status === "closed" };
    case "typing":
      return { typing: data.active ? String(data.operatorName || "") : null };
    case "operator_status":
      return { operatorOnline: !!data.online };
    case "config":
      return { config: data.config as State["config"] };
    default:
      return {};
  }
}

/** changed ignores edits of messages too old to be loaded: they come edited. */
function changed(state: State, message: Message): Patch {
  const known = state.messages.some((m) => m.id === message.id);
  return known ? withMessages(state, [message]) : {};
}
