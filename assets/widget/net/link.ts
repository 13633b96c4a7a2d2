// link.ts applies the stream's events to the state in order: from this tab's
// own stream, or from the tab that leads. It keeps the cursor, and loads the
// messages again when it sees a gap.

import { passing } from "./client";
import type { Pause } from "./pause";
import type { Session } from "../core/session";
import type { StreamEvent } from "./sse";
import { runStream } from "./stream";
import { behind, joinTabs, type Tabs } from "./tabs";
import type { Core, HttpError, Shell } from "../types";

export interface Link {
  restart(): void;
  stop(): void;
}

/** createLink is at rest until the first restart. */
export function createLink(
  { store, client }: Core, shell: Shell, session: Session, pause: Pause,
  onEvent: (event: StreamEvent) => Promise<void>, onOnline: () => void,
): Link {
  let tabs: Tabs | null = null;
  let chain: Promise<unknown> = Promise.resolve();

  /** inOrder runs jobs one after the other; a failed one does not end the line. */
  const inOrder = (job: () => Promise<void>) =>
    (chain = chain.then(job).catch((error) => {
      if (!passing(error)) session.refused(error as HttpError);
    }));
  const cursor = () => session.cursor;
  const accept = (event: StreamEvent, prev?: string) =>
    inOrder(async () => {
      const before = session.cursor;
      if (event.id && !behind(before, event.id)) return;
      if (event.id && prev !== undefined && behind(before, prev)) return session.reload();
      await onEvent(event);
      if (event.id) session.cursor = event.id;
      if (prev === undefined) tabs?.pass(event, before);
    });
  const setState = (connected: boolean) => {
    const connection = connected ? "online" : "offline";
    if (connection === store.state.connection || store.state.stop) return;
    store.set({ connection });
    shell.emit("connection", connection);
    if (!connected) return;
    session.healthy();
    onOnline();
  };
  const onAlive = (connected: boolean, cursor: string) => {
    setState(connected);
    inOrder(async () => {
      if (behind(session.cursor, cursor)) await session.reload();
    });
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
      const onRefused = (error: HttpError) => session.refused(error, sessionId);
      const lead = (signal: AbortSignal) => {
        const onState = (connected: boolean) => {
          if (signal.aborted) return;
          setState(connected);
          tabs?.alive(connected);
        };
        return runStream({ client, pause, sessionId, cursor, onEvent: accept, onState, onRefused }, signal);
      };
      tabs = joinTabs({ name: `relay:${sessionId}`, cursor, onEvent: accept, onAsk: pause.wake, onAlive, lead });
    },
  };
}
