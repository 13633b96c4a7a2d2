// tabs.ts shares one stream among all tabs of a visitor: the tab that holds a
// Web Lock reads it and passes every event on over a BroadcastChannel. Without
// locks (pages without TLS, blocked storage) each tab reads its own.

import { locks } from "./locks";
import type { StreamEvent } from "./sse";

/** How often a leader announces itself. */
const BEAT = 25_000;
/** A leader that is silent, or gives a looked-at tab no answer, is replaced. */
const SILENCE = 75_000;
const ANSWER = 3_000;
const AGAIN = 2_000;

/** The messages between tabs. prev chains the events, so a gap is noticed. */
type Note =
  | { kind: "event"; event: StreamEvent; prev: string }
  | { kind: "alive"; connected: boolean; cursor: string }
  | { kind: "ask" };

export interface TabsOptions {
  name: string;
  cursor(): string;
  /** lead reads the stream until the signal aborts it. */
  lead(signal: AbortSignal): Promise<void>;
  /** A tab that is looked at asks for the connection. */
  onAsk(): void;
  /** An event from the leader, and the leader's cursor before it. */
  onEvent(event: StreamEvent, prev: string): void;
  onAlive(connected: boolean, cursor: string): void;
}

export interface Tabs {
  /** The leader's duty: to pass on what came and whether the stream lives. */
  pass(event: StreamEvent, prev: string): void;
  alive(connected: boolean): void;
  stop(): void;
}

/**
 * createCandidate competes for the lock that makes a tab lead: compete waits for it, or takes
 * it from a leader that is gone.
 */
function createCandidate(o: TabsOptions, life: AbortSignal) {
  let queued = false;
  const tab = {
    leading: false,
    compete(steal: boolean) {
      if (!steal && queued) return;
      queued ||= !steal;
      const term = new AbortController();
      const end = () => {
        tab.leading = false;
        term.abort();
      };
      life.addEventListener("abort", end);
      const hold = async () => {
        if (!steal) queued = false;
        tab.leading = true;
        await o.lead(term.signal);
        tab.leading = false;
      };
      locks!.request(o.name, steal ? { steal } : { signal: life }, hold).catch(() => {
        // The lock was stolen, or this tab has stopped.
        end();
        if (!life.aborted) tab.compete(false);
      });
    },
  };
  return tab;
}

/** joinTabs takes part until stop is called. */
export function joinTabs(o: TabsOptions): Tabs {
  const life = new AbortController();
  if (!locks) {
    void o.lead(life.signal);
    return { pass() {}, alive() {}, stop: () => life.abort() };
  }
  const channel = new BroadcastChannel(o.name);
  const tab = createCandidate(o, life.signal);
  let connected = false;
  let timer = 0;
  let impatience = 0;

  const say = (note: Note) => life.signal.aborted || channel.postMessage(note);
  const tell = () => tab.leading && say({ kind: "alive", connected, cursor: o.cursor() });
  const watch = (ms: number) => {
    clearTimeout(timer);
    timer = window.setTimeout(() => tab.leading || life.signal.aborted || tab.compete(true), ms);
  };
  const ask = () => {
    if (tab.leading || document.hidden) return;
    say({ kind: "ask" });
    watch(ANSWER);
  };
  channel.onmessage = ({ data }: MessageEvent<Note>) => {
    if (data.kind === "ask") {
      if (tab.leading && !connected) o.onAsk();
      tell();
    } else if (!tab.leading) {
      watch(SILENCE);
      if (data.kind === "event") o.onEvent(data.event, data.prev);
      else {
        o.onAlive(data.connected, data.cursor);
        // A hidden leader takes its time to come back; this tab is looked at.
        clearTimeout(impatience);
        if (!data.connected) impatience = window.setTimeout(ask, AGAIN);
      }
    }
  };
  const beat = setInterval(tell, BEAT);
  document.addEventListener("visibilitychange", ask, { signal: life.signal });
  tab.compete(false);
  ask();

  return {
    pass: (event, prev) => say({ kind: "event", event, prev }),
    alive: (now) => {
      connected = now;
      tell();
    },
    stop() {
      life.abort(); // timers that are left do nothing then
      clearInterval(beat);
      channel.close();
    },
  };
}

/** behind compares cursors, which are revisions of the session. */
export function behind(own: string, other: string): boolean {
  return +own < +other;
}
