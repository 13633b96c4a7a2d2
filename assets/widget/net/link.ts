// link.ts applies the stream's events to the state in order: from this tab's
// own stream, or from the tab that leads. It keeps the cursor, and loads the
// messages again when it sees a gap.

import { passing } from "./client";
import type { Pause } from "./pause";
import type { Session } from "../core/session";
import type { StreamEvent } from "./sse";
import { runStream } from "./stream";
import { behind, joinTabs, type Tabs } from "./tabs";
import type { Client, HttpError, Shell, Store } from "../types";

export interface LinkOptions {
  shell: Shell;
  store: Store;
  client: Client;
  session: Session;
  pause: Pause;
  onEvent(event: StreamEvent): Promise<void>;
  onOnline(): void;
}

export interface Link {
  restart(): void;
  stop(): void;
}

/** createLink is at rest until the first restart. */
export function createLink(o: LinkOptions): Link {
  const { store, session } = o;
  let tabs: Tabs | null = null;
  let chain: Promise<unknown> = Promise.resolve();

  /** inOrder runs jobs one after the other; a failed one does not end the line. */
  const inOrder = (job: () => Promise<void>) => (chain = chain.then(job).catch(report));
  const report = (error: unknown) => {
    if (!passing(error)) session.refused(error as HttpError);
  };
  const accept = (event: StreamEvent, prev?: string) =>
    inOrder(async () => {
      if (event.id && !behind(session.cursor, event.id)) return;
      if (event.id && prev !== undefined && behind(session.cursor, prev)) return session.reload();
      const before = session.cursor;
      await o.onEvent(event);
      if (event.id) session.cursor = event.id;
      if (prev === undefined) tabs?.pass(event, before);
    });
  const setState = (connected: boolean) => {
    const connection = connected ? "online" : "offline";
    if (connection === store.state.connection || store.state.stop) return;
    store.set({ connection });
    o.shell.emit("connection", connection);
    if (!connected) return;
    session.healthy();
    o.onOnline();
  };
  const stop = () => {
    tabs?.stop();
    tabs = null;
  };

  return {
    stop,
    restart() {
      stop();
      const { sessionId } = store.state;
      tabs = joinTabs({
        name: `relay:${sessionId}`,
        cursor: () => session.cursor,
        onEvent: accept,
        onAsk: o.pause.wake,
        onAlive(connected, cursor) {
          setState(connected);
          inOrder(async () => {
            if (behind(session.cursor, cursor)) await session.reload();
          });
        },
        lead: (signal) =>
          runStream(
            {
              client: o.client,
              pause: o.pause,
              sessionId,
              cursor: () => session.cursor,
              onEvent: (event) => accept(event).then(() => {}),
              onState(connected) {
                if (signal.aborted) return;
                setState(connected);
                tabs?.alive(connected);
              },
              onRefused: (error) => session.refused(error, sessionId),
            },
            signal,
          ),
      });
    },
  };
}
