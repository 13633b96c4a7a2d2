// stream.ts keeps one event stream open: by fetch, because EventSource cannot
// send headers, with Last-Event-ID, back-off and a watchdog.

import { passing } from "./client";
import type { Pause } from "./pause";
import { createParser, type StreamEvent } from "./sse";
import type { Client, HttpError } from "../types";

/** The server sends a comment every 30 s; two and a half of them is silence. */
const SILENCE = 75_000;
/** A connection that is not answered by then goes nowhere. */
const OPENING = 10_000;

export interface StreamOptions {
  client: Client;
  pause: Pause;
  sessionId: string;
  cursor(): string;
  /** Awaited, so that a reload after "resync" ends before the next event. */
  onEvent(event: StreamEvent): Promise<unknown>;
  onState(connected: boolean): void;
  /** The server's last word: the session or the key is not accepted. */
  onRefused(error: HttpError): void;
}

/** runStream connects again and again until the signal aborts it. */
export async function runStream(o: StreamOptions, signal: AbortSignal): Promise<void> {
  let attempt = 0;
  let base = 1000;
  while (!signal.aborted) {
    let failure: unknown;
    try {
      await readOnce(o, signal, () => (attempt = 0), (ms) => (base = ms));
    } catch (error) {
      if (!signal.aborted && !passing(error)) return o.onRefused(error as HttpError);
      failure = error;
    }
    if (signal.aborted) break;
    o.onState(false);
    await o.pause.after(failure, attempt++, base);
  }
}

/** readOnce reads one connection to its end. */
async function readOnce(
  o: StreamOptions,
  outer: AbortSignal,
  onOpen: () => void,
  onRetry: (ms: number) => void,
): Promise<void> {
  const inner = new AbortController();
  const { signal } = inner;
  const abort = () => inner.abort();
  let watchdog = setTimeout(abort, OPENING);
  let lastReceived = Date.now();
  // After a sleep the connection is often dead without anybody saying so.
  const check = () => Date.now() - lastReceived > SILENCE / 2 && abort();
  outer.addEventListener("abort", abort, { signal });
  window.addEventListener("online", abort, { signal });
  document.addEventListener("visibilitychange", check, { signal });
  try {
    const answer = await o.client.request(`stream?sessionId=${o.sessionId}`, {
      signal,
      headers: { Accept: "text/event-stream", "Last-Event-ID": o.cursor() || "0" },
    });
    clearTimeout(watchdog);
    watchdog = setTimeout(abort, SILENCE);
    onOpen();
    o.onState(true);
    const queue: StreamEvent[] = [];
    const parser = createParser((event) => queue.push(event), onRetry);
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(watchdog);
      watchdog = setTimeout(abort, SILENCE);
      lastReceived = Date.now();
      parser.push(value);
      let began = performance.now();
      for (const event of queue.splice(0)) {
        await o.onEvent(event);
        if (performance.now() - began < 16) continue;
        // A burst leaves the page its frames.
        await new Promise((done) => setTimeout(done));
        began = performance.now();
      }
    }
  } finally {
    clearTimeout(watchdog);
    abort(); // so that nothing listens any more
  }
}
