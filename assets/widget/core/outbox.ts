// outbox.ts sends messages one after the other. They wait in storage, each under its
// own key and with the conversation for which it was typed, so a reload loses none, two
// tabs do not overwrite each other, and none lands in another conversation; the server
// answers a repeated clientId with the same message.

import { passing } from "../net/client";
import { withMessages } from "./messages";
import type { Pause } from "../net/pause";
import { randomId } from "../../shared/random";
import type { Session } from "./session";
import type { Attachment, Client, HttpError, Message, Pending, Shell, Storage, Store } from "../types";

/** After this many failures in a row the visitor is asked whether to try again. */
const TRIES = 4;
/** What waited longer is sent only when the visitor asks. The server keeps unsent files as long. */
const HELD = 7 * 24 * 3600_000;

export interface Outbox {
  add(content: string, attachments: Attachment[], replyTo?: string): Promise<Message>;
  retry(clientId: string): void;
  discard(clientId: string): void;
  /** Tries again what failed for want of a connection. */
  revive(): void;
}

/** createQueue holds what waits, in the order in which it was written; the store shows what is this tab's own. */
function createQueue(storage: Storage, store: Store, client: Client) {
  const key = (clientId: string) => `outbox:${clientId}`;
  const queue = {
    items: [] as Pending[],
    find: (id: string) => queue.items.find((p) => p.clientId === id),
    /** isOwn: it is for this tab's conversation, or for the lost one that this continues; none yet means a new one. */
    isOwn({ session: its }: Pending) {
      const own = client.session;
      return its ? [own?.id, own?.after].includes(its.id) : !own?.live;
    },
    /** isThere reports whether no other tab has sent it, or taken it away. */
    isThere: (id: string) => storage.get(key(id)),
    put(next: Pending[]) {
      queue.items = next;
      store.set({ pending: next.filter(queue.isOwn) });
    },
    save: (p: Pending) => storage.set(key(p.clientId), { ...p, failed: p.refused }),
    /** change changes those for which there is a patch. What another tab took away stays away. */
    change(patch: (p: Pending) => Partial<Pending> | false) {
      queue.put(
        queue.items.map((p) => {
          const next = { ...p, ...patch(p) };
          if (queue.isThere(p.clientId)) queue.save(next);
          return next;
        }),
      );
    },
    drop(id: string) {
      storage.set(key(id), null);
      queue.put(queue.items.filter((p) => p.clientId !== id));
    },
  };
  const left = storage.keys("outbox:").map((name) => storage.get<Pending>(name))
    .filter((p): p is Pending => !!p?.clientId)
    .map((p) => ({ ...p, session: p.session || client.session }))
    .sort((a, b) => (a.at < b.at ? -1 : 1));
  queue.put(left.map((p) => (Date.now() - +new Date(p.at) > HELD ? { ...p, failed: true, refused: true } : p)));
  return queue;
}

type Queue = ReturnType<typeof createQueue>;

/** createDelivery tells those that wait for a message what became of it. */
function createDelivery({ emit }: Shell, queue: Queue) {
  const waiting = new Map<string, { resolve(m: Message): void; reject(e: unknown): void }>();
  const delivery = {
    of: (id: string) => new Promise<Message>((resolve, reject) => waiting.set(id, { resolve, reject })),
    fail(id: string, error: unknown, patch?: Partial<Pending>) {
      if (!queue.find(id)) return;
      const refused = !passing(error);
      queue.change((p) => p.clientId === id && { failed: true, refused, ...patch });
      waiting.get(id)?.reject(error);
      emit("error", { message: "Not sent", clientId: id, error });
      if (refused) return;
      // Those behind it wait for the same: sent before it, they would overtake it.
      const next = queue.items.find((p) => !p.failed);
      if (next) delivery.fail(next.clientId, error);
    },
    sent(id: string, message: Message) {
      if (!queue.find(id)) return;
      queue.drop(id);
      waiting.get(id)?.resolve(message);
      emit("sent", message);
    },
  };
  return delivery;
}

type Delivery = ReturnType<typeof createDelivery>;

/** post tries one message until it is sent, refused, or out of tries. */
async function post(
  id: string, queue: Queue, { fail, sent }: Delivery, store: Store, client: Client, session: Session, pause: Pause,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    if (!queue.isThere(id)) return queue.drop(id);
    let item = queue.find(id)!;
    try {
      if (queue.isOwn(item)) await session.ready();
      item = queue.find(id)!;
      const { content, attachments, replyTo, session: its } = item;
      const body = { sessionId: its?.id, content, attachmentIds: attachments.map((a) => a.id), replyTo, clientId: id };
      const message = await client.call<Message>("POST", "messages", body, false, its);
      if (queue.isOwn(item)) store.set(withMessages(store.state, [{ ...message, clientId: id }], "sent"));
      return sent(id, message);
    } catch (error) {
      const { status, message } = error as HttpError;
      const lost = status === 404 && /^session/i.test(message) && attempt === 1;
      const own = queue.isOwn(item);
      if (own && (lost || status === 401 || status === 403)) session.refused(error as HttpError, item.session?.id);
      // When its own conversation refuses it, the visitor is asked whether it is for this one.
      else if (!passing(error)) return fail(id, error, own ? {} : { session: client.session });
      else if (attempt >= TRIES) return fail(id, error);
      if (client.life.aborted || store.state.stop) return fail(id, error);
      await pause.after(error, attempt, 500);
    }
  }
}

/** createOutbox takes up what an earlier page left unsent. */
export function createOutbox(shell: Shell, store: Store, client: Client, session: Session, pause: Pause): Outbox {
  const queue = createQueue(shell.storage, store, client);
  const delivery = createDelivery(shell, queue);
  let busy = false;
  const flush = async () => {
    if (busy) return;
    busy = true;
    for (;;) {
      const open = queue.items.filter((p) => !p.failed);
      const next = open.find(queue.isOwn) || open[0];
      if (!next || client.life.aborted) break;
      await post(next.clientId, queue, delivery, store, client, session, pause);
    }
    busy = false;
  };
  const revive = () => {
    const own = client.session;
    // What was typed before there was a conversation, or in one that was lost, belongs to this.
    const ready = own && store.state.ready;
    if (queue.items[0]) queue.change((p) => ({ failed: p.refused, ...(ready && queue.isOwn(p) && { session: own }) }));
    void flush();
  };
  // Messages that init or the stream confirms are not sent again after a reload.
  store.subscribe(() => {
    if (queue.items[0]) for (const m of store.state.messages) delivery.sent(m.clientId!, m);
  });
  void flush();
  return {
    add(content, attachments, replyTo) {
      const at = new Date().toISOString();
      const item = { clientId: randomId(), content, attachments, replyTo, at, session: client.session };
      queue.save(item);
      queue.put([...queue.items, item]);
      const result = delivery.of(item.clientId);
      revive();
      return result;
    },
    retry(clientId) {
      queue.change((p) => p.clientId === clientId && { refused: false });
      pause.wake();
      revive();
    },
    discard: queue.drop,
    revive,
  };
}
