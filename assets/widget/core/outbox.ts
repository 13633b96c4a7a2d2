// outbox.ts sends messages one after the other. They wait in storage, each under its
// own key and with the conversation for which it was typed, so a reload loses none, two
// tabs do not overwrite each other, and none lands in another conversation; the server
// answers a repeated clientId with the same message.

import { passing } from "../net/client";
import { withMessages } from "./messages";
import type { Pause } from "../net/pause";
import { randomId } from "../../shared/random";
import type { Session } from "./session";
import type { Attachment, Client, HttpError, Message, Pending, Shell, Store } from "../types";

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
  let items: Pending[] = [];
  let busy = false;

  const find = (id: string) => items.find((p) => p.clientId === id);
  /** isOwn: it is for this tab's conversation, or for the lost one that this continues; none yet means a new one. */
  const isOwn = ({ session: its }: Pending) => {
    const own = client.session;
    return its ? [own?.id, own?.after].includes(its.id) : !own?.live;
  };
  const put = (next: Pending[]) => {
    items = next;
    store.set({ pending: items.filter(isOwn) });
  };
  const save = (p: Pending) => storage.set(key(p.clientId), { ...p, failed: p.refused });
  /** change changes those for which there is a patch. What another tab took away stays away. */
  const change = (patch: (p: Pending) => Partial<Pending> | false) =>
    put(
      items.map((p) => {
        const next = { ...p, ...patch(p) };
        if (storage.get(key(p.clientId))) save(next);
        return next;
      }),
    );
  const drop = (id: string) => {
    storage.set(key(id), null);
    put(items.filter((p) => p.clientId !== id));
  };
  const fail = (id: string, error: unknown, patch?: Partial<Pending>) => {
    if (!find(id)) return;
    const refused = !passing(error);
    change((p) => p.clientId === id && { failed: true, refused, ...patch });
    waiting.get(id)?.reject(error);
    emit("error", { message: "Not sent", clientId: id, error });
    if (refused) return;
    // Those behind it wait for the same: sent before it, they would overtake it.
    const next = items.find((p) => !p.failed);
    if (next) fail(next.clientId, error);
  };
  const sent = (id: string, message: Message) => {
    if (!find(id)) return;
    drop(id);
    waiting.get(id)?.resolve(message);
    emit("sent", message);
  };

  /** post tries one message until it is sent, refused, or out of tries. */
  const post = async (id: string): Promise<void> => {
    for (let attempt = 1; ; attempt++) {
      // Another tab may have sent it, or taken it away.
      if (!storage.get(key(id))) return drop(id);
      let item = find(id)!;
      try {
        if (isOwn(item)) await session.ready();
        item = find(id)!;
        const message = await client.call<Message>(
          "POST",
          "messages",
          {
            sessionId: item.session?.id,
            content: item.content,
            attachmentIds: item.attachments.map((a) => a.id),
            replyTo: item.replyTo,
            clientId: id,
          },
          false,
          item.session,
        );
        if (isOwn(item)) store.set(withMessages(store.state, [{ ...message, clientId: id }], "sent"));
        return sent(id, message);
      } catch (error) {
        const { status, message } = error as HttpError;
        const lost = status === 404 && /^session/i.test(message) && attempt === 1;
        const own = isOwn(item);
        if (own && (lost || status === 401 || status === 403)) session.refused(error as HttpError, item.session?.id);
        // When its own conversation refuses it, the visitor is asked whether it is for this one.
        else if (!passing(error)) return fail(id, error, own ? {} : { session: client.session });
        else if (attempt >= TRIES) return fail(id, error);
        if (client.life.aborted || store.state.stop) return fail(id, error);
        await pause.after(error, attempt, 500);
      }
    }
  };
  const flush = async () => {
    if (busy) return;
    busy = true;
    for (;;) {
      const open = items.filter((p) => !p.failed);
      const next = open.find(isOwn) || open[0];
      if (!next || client.life.aborted) break;
      await post(next.clientId);
    }
    busy = false;
  };
  const revive = () => {
    const own = client.session;
    // What was typed before there was a conversation, or in one that was lost, belongs to this.
    const ready = own && store.state.ready;
    if (items[0]) change((p) => ({ failed: p.refused, ...(ready && isOwn(p) && { session: own }) }));
    void flush();
  };

  const left = storage
    .keys("outbox:")
    .map((name) => storage.get<Pending>(name))
    .filter((p): p is Pending => !!p?.clientId)
    .map((p) => ({ ...p, session: p.session || client.session }))
    .sort((a, b) => (a.at < b.at ? -1 : 1));
  put(left.map((p) => (Date.now() - +new Date(p.at) > HELD ? { ...p, failed: true, refused: true } : p)));
  // Messages that init or the stream confirms are not sent again after a reload.
  store.subscribe(() => {
    if (items[0]) for (const m of store.state.messages) sent(m.clientId!, m);
  });
  if (left.length) void flush();

  return {
    add(content, attachments, replyTo) {
      const at = new Date().toISOString();
      const item = { clientId: randomId(), content, attachments, replyTo, at, session: client.session };
      save(item);
      put([...items, item]);
      const result = new Promise<Message>((resolve, reject) =>
        waiting.set(item.clientId, { resolve, reject }),
      );
      revive();
      return result;
    },
    retry(clientId) {
      change((p) => p.clientId === clientId && { refused: false });
      pause.wake();
      revive();
    },
    discard: drop,
    revive,
  };
}
