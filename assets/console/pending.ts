// Pending is what an operator has written and relay has not confirmed yet.

import { state } from "./store";
import type { State } from "./store";
import type { Attachment, Message } from "./types";

export interface Pending {
  // clientId is that of the request too: however often it is repeated, relay stores the message once.
  clientId: string;
  sessionId: string;
  content: string;
  attachments: Attachment[];
  replyTo?: string;
  internal?: true;
  operatorName?: string;
  // at is when it was written, which is the order of sending.
  at: number;
  // tried: an attempt failed, so that it waits for relay.
  tried?: true;
  // refused is why it was not sent. It is not tried again by itself.
  refused?: string;
}

const drawn = new WeakMap<Pending, Message>();

// asMessage is how the conversation shows it: the same object as long as nothing changes.
function asMessage(p: Pending): Message {
  const known = drawn.get(p);
  if (known) return known;
  const { clientId, sessionId, content, attachments, replyTo, internal, operatorName } = p;
  const m: Message = { id: "local-" + clientId, sessionId, content, sender: "operator", timestamp: new Date(p.at).toISOString(), attachments, clientId, local: p };
  if (replyTo) m.replyTo = replyTo;
  if (internal) m.internal = internal;
  if (operatorName) m.operatorName = operatorName;
  drawn.set(p, m);
  return m;
}

// pendingOf are a conversation's messages that wait, in the order in which they were written.
export function pendingOf(sessionId: string, of: State = state): Message[] {
  return of.outbox.filter((p) => p.sessionId === sessionId).map(asMessage);
}

// without is the outbox without the message that relay has stored, or that was taken back.
export function without(clientId: string | undefined): readonly Pending[] {
  return state.outbox.some((p) => p.clientId === clientId) ? state.outbox.filter((p) => p.clientId !== clientId) : state.outbox;
}
