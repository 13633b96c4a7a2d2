// outbox.ts sends messages one after the other. They wait in storage, each
// under its own key, so a reload loses none and two tabs do not overwrite each
// other; the server answers a repeated clientId with the same message.

import { HttpError, passing, type Client } from "./client";
import { withMessages } from "./messages";
import type { Pause } from "./pause";
import { randomId } from "./random";
import type { Session } from "./session";
import type { Attachment, Message, Pending, Shell, Store } from "./types";

/** After this many failures in a row the visitor is asked whether to try again. */
const TRIES = 4;

export interface Outbox {
  add(content: string, attachments: Attachment[], replyTo?: string): Promise<Message>;
  retry(clientId: string): void;
  discard(clientId: string): void;
  /** Tries again what failed for want of a connection. */
  revive(): void;
}

/** createOutbox takes up what an earlier page left unsent. */
export function createOutbox(
  shell: Shell,
  store: Store,
  client: Client,
  session: Session,
  pause: Pause,
): Outbox {
  const { storage, emit } = shell;
  const key = (clientId: string) => `outbox:${clientId}`;
  const waiting = new Map<string, { resolve(m: Message): void; reject(e: unknown): void }>();
  /** Refused messages are not sent again unless the visitor asks. */
  const refused = new Set<string>();
  const stored = new Set<string>();
  let busy = false;

  const put = (pending: Pending[]) => store.set({ pending });
  const change = (id: string, patch: Partial<Pending>) =>
    put(store.state.pending.map((p) => (p.clientId === id ? { ...p, ...patch } : p)));
  const forget = (id: string) => {
    storage.set(key(id), null);
    stored.delete(id);
    refused.delete(id);
  };
  const drop = (id: string) => {
    forget(id);
    put(store.state.pending.filter((p) => p.clientId !== id));
  };
  const fail = (id: string, error: unknown) => {
    change(id, { failed: true });
    waiting.get(id)?.reject(error);
    waiting.delete(id);
    emit("error", { message: "A message was not sent.", clientId: id, error });
    if (!passing(error)) return void refused.add(id);
    // Those behind it wait for the same: sent before it, they would overtake it.
    const next = store.state.pending.find((p) => !p.failed);
    if (next) fail(next.clientId, error);
  };

  /** post tries one message until it is sent, refused, or out of tries. */
  const post = async (item: Pending): Promise<void> => {
    for (let attempt = 1; ; attempt++) {
      try {
        const sessionId = await session.ready();
        const message = await client.call<Message>("POST", "messages", {
          sessionId,
          content: item.content,
          attachmentIds: item.attachments.map((a) => a.id),
          replyTo: item.replyTo,
          clientId: item.clientId,
        });
        return sent(item, message);
      } catch (error) {
        const status = error instanceof HttpError ? error.status : 0;
        const lost = status === 404 && attempt === 1;
        if (lost || status === 401 || status === 403) session.refused(error as HttpError);
        else if (!passing(error) || attempt >= TRIES) return fail(item.clientId, error);
        if (client.life.aborted || store.state.stop) return fail(item.clientId, error);
        await pause.after(error, attempt, 500);
      }
    }
  };
  const sent = (item: Pending, message: Message) => {
    forget(item.clientId);
    store.set(withMessages(store.state, [{ ...message, clientId: item.clientId }], "sent"));
    waiting.get(item.clientId)?.resolve(message);
    waiting.delete(item.clientId);
    emit("sent", message);
  };
  const flush = async () => {
    if (busy) return;
    busy = true;
    for (;;) {
      const next = store.state.pending.find((p) => !p.failed);
      if (!next || client.life.aborted) break;
      await post(next);
    }
    busy = false;
  };

  const revive = () => {
    const again = store.state.pending.filter((p) => p.failed && !refused.has(p.clientId));
    for (const p of again) change(p.clientId, { failed: false });
    void flush();
  };

  const left = storage
    .keys("outbox:")
    .map((name) => storage.get<Pending>(name))
    .filter((p): p is Pending => !!p?.clientId)
    .sort((a, b) => (a.at < b.at ? -1 : 1));
  for (const p of left) stored.add(p.clientId);
  put(left);
  // Messages that init or the stream confirms are not sent again after a reload.
  store.subscribe(() => {
    if (!stored.size) return;
    for (const { clientId } of store.state.messages) {
      if (clientId && stored.has(clientId)) forget(clientId);
    }
  });
  if (left.length) void flush();

  return {
    add(content, attachments, replyTo) {
      const at = new Date().toISOString();
      const item: Pending = { clientId: randomId(), content, attachments, replyTo, at };
      storage.set(key(item.clientId), item);
      stored.add(item.clientId);
      put([...store.state.pending, item]);
      const result = new Promise<Message>((resolve, reject) =>
        waiting.set(item.clientId, { resolve, reject }),
      );
      revive();
      return result;
    },
    retry(clientId) {
      refused.delete(clientId);
      pause.wake();
      revive();
    },
    discard: drop,
    revive,
  };
}
