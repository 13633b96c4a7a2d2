// The admin event stream: connecting, noticing loss, connecting again.

import { call } from "./api";
import { eventNames } from "../state/events";
import { reload } from "./load";
import { receive, stateNames } from "./receive";
import { set, state } from "../state/store";
import type { StreamEvent } from "../types";

const slowest = 30_000;
const asleep = 90_000;

let source: EventSource | undefined;
let wait = 1_000;
let beat = Date.now();
let retry = 0;

export function connect(): void {
  clearTimeout(retry);
  source?.close();
  // A reconnection says so: it is not the operator who opened the console.
  source = new EventSource("/api/admin/stream" + (source ? "?lastEventId=0" : ""));
  for (const name of [...eventNames, ...stateNames]) source.addEventListener(name, onEvent);
  source.onopen = () => (wait = 1_000);
  source.onerror = failed;
}

function onEvent(e: MessageEvent<string>): void {
  receive({ type: e.type, ...(JSON.parse(e.data) as object) } as StreamEvent);
}

// failed lets the browser reconnect by itself; after a refusal it does not, so
// this does. A request finds out whether the sign-in has expired.
function failed(): void {
  set({ lost: true });
  if (state.listPhase === "loading") void reload();
  if (source?.readyState !== EventSource.CLOSED) return;
  call("GET", "/sessions?limit=1").catch(() => undefined);
  retry = setTimeout(connect, wait);
  wait = Math.min(wait * 2, slowest);
}

// watch starts over after the computer slept, when the old connection may be dead without a sign.
export function watch(): void {
  if (Date.now() - beat > asleep) connect();
  beat = Date.now();
}
