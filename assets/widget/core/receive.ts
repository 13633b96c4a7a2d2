// receive.ts handles an event of the stream: the state, the page, what shows that
// somebody has written.

import { announce } from "./announce";
import { applyEvent } from "./messages";
import type { Session } from "./session";
import type { Signals } from "./signals";
import type { Attend } from "../attention/lazy";
import type { StreamEvent } from "../net/sse";
import type { Core, Shell } from "../types";

export function createReceiver(core: Core, shell: Shell, session: Session, signals: Signals, attend: Attend) {
  const { store } = core;
  let typingTimer = 0;
  return async (event: StreamEvent): Promise<void> => {
    if (event.name === "resync") return session.reload();
    const data = JSON.parse(event.data) as Record<string, unknown>;
    const before = store.state;
    store.set(applyEvent(before, event.name, data));
    if (event.name === "config") void core.adopt();
    const news = announce(shell, before, event.name, data);
    if (news && (document.hidden || !store.state.open)) attend(news);
    signals.read();
    if (event.name !== "typing") return;
    // An operator whose "stopped" got lost does not type for ever.
    clearTimeout(typingTimer);
    typingTimer = window.setTimeout(() => store.set({ typing: null }), 10_000);
  };
}
