// The messages of the outbox, as the conversation shows them.

import { state } from "./store";
import type { State } from "./store";
import type { Message, Pending } from "../types";

const drawn = new WeakMap<Pending, Message>();

// asMessage is how the conversation shows it: the same object as long as nothing changes.
function asMessage(p: Pending): Message {
  const known = drawn.get(p);
  if (known) return known;
  const { clientId, sessionId, content, attachments, replyTo, internal, operatorName } = p;
  const m: Message = { id: "local-" + clientId, sessionId, content, sender: "operator", timestamp: new Date(p.at).toISOString(),
    attachments, clientId, local: p };
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
