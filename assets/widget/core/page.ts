// page.ts follows the page: looked at, online again, moved within, left.

import type { Outbox } from "./outbox";
import { withoutQuery } from "./session";
import type { Signals } from "./signals";
import type { Link } from "../net/link";
import type { Pause } from "../net/pause";
import type { Core } from "../types";

export function followPage({ store, post, client }: Core, pause: Pause, outbox: Outbox, signals: Signals, link: Link): void {
  const { life: signal } = client;
  const onVisible = () => {
    if (document.hidden) return;
    pause.wake();
    signals.read();
  };
  const onOnline = () => {
    pause.wake();
    outbox.revive();
  };
  // Pages that route in the browser change their address without being loaded.
  let page = withoutQuery(location.href);
  const onMove = () => {
    const url = withoutQuery(location.href);
    if (url === page || !store.state.ready || store.state.stop) return;
    page = url;
    post("page", { url }).catch(() => {});
  };
  const onHide = () => {
    signals.leave("page_unload");
    link.stop();
  };
  const onShow = (e: PageTransitionEvent) => e.persisted && store.state.ready && link.restart();
  const { navigation } = window as { navigation?: EventTarget };
  const looking = navigation ? 0 : setInterval(onMove, 2_000);
  signal.addEventListener("abort", () => clearInterval(looking));
  const listeners: [EventTarget, string, EventListener][] = [
    [document, "visibilitychange", onVisible],
    [window, "online", onOnline],
    [window, "pagehide", onHide],
    [navigation || window, navigation ? "navigatesuccess" : "popstate", onMove],
    [window, "pageshow", onShow as EventListener],
  ];
  for (const [target, name, fn] of listeners) target.addEventListener(name, fn, { signal });
}
