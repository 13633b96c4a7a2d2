// signals.ts sends the server the small things: that the visitor is typing,
// has read, or has left. Each is a hint, so a failure is not repeated at once.

import { unreadIds, withReceipt } from "./messages";
import type { Client, Store } from "../types";

/** Typing is reported at most this often, and ends by itself after IDLE. */
const TYPING_EVERY = 3_000;
const IDLE = 5_000;

export interface Signals {
  typing(active: boolean): void;
  /** A message went out: the server knows that its writer stopped typing. */
  sent(): void;
  read(): void;
  leave(reason: "page_unload" | "manual"): void;
}

/** createSignals keeps quiet as long as there is no session. */
export function createSignals(store: Store, client: Client): Signals {
  let until = 0;
  let reported = false;
  let timer = 0;
  let reading = false;

  const post = (path: string, body: object, keepalive?: boolean) =>
    client.call("POST", path, { sessionId: store.state.sessionId, ...body }, keepalive);
  const step = () => {
    timer = 0;
    const active = Date.now() < until;
    if ((!active && !reported) || client.life.aborted) return;
    reported = active;
    post("typing", { active }).catch(() => {});
    timer = window.setTimeout(step, TYPING_EVERY);
  };
  const read = () => {
    const ids = unreadIds(store.state.messages).slice(0, 500); // as many as the server takes
    if (!ids.length || reading || store.state.stop || document.hidden || !store.state.open) return;
    reading = true;
    const again = () => {
      reading = false;
      read();
    };
    post("read", { messageIds: ids })
      .then(() => {
        store.set(withReceipt(store.state, ids, "read", new Date().toISOString()));
        again();
      })
      .catch(() => client.life.aborted || setTimeout(again, 15_000));
  };

  return {
    read,
    typing(active) {
      until = active ? Date.now() + IDLE : 0;
      if (!active && reported) {
        clearTimeout(timer);
        return step();
      }
      // Before the first message there is no thread that could show it.
      if (!timer && store.state.messages.length) step();
    },
    sent() {
      until = 0;
      reported = false;
    },
    leave(reason) {
      if (!store.state.sessionId || store.state.stop) return;
      const duration = Math.round(performance.now() / 1000); // since the page came, not the chat
      post("disconnect", { duration, reason }, true).catch(() => {});
    },
  };
}
