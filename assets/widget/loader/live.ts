// live.ts stands behind the loader in the file that pages load, where a website shows its team who
// is on it now. While the page is looked at it says so every ten seconds. The visit's number is
// made at random and ends with the tab; there is no cookie.

import { numberOf } from "../../shared/number";
import { randomId } from "../../shared/random";

interface Visit {
  id: string;
  since: number;
  from: string;
  pages: string[];
}

interface Answer {
  conversation?: { sessionId: string; sessionToken: string };
}

interface Page {
  /** The websites that want to know, by a number made of the public key. */
  relayLive?: number[];
  RelayChat?: { identify(identity: unknown): unknown; getIdentity(): unknown };
  navigation?: EventTarget;
}

const EVERY = 10_000;
const MOST = 20;

const page = window as Page;
const script = document.currentScript as HTMLScriptElement | null;
const { apiKey = "", apiUrl } = script?.dataset || {};
const wishes = navigator as { globalPrivacyControl?: boolean; doNotTrack?: string | null };
// Who asks not to be followed is not shown.
if (page.relayLive?.includes(numberOf(apiKey)) && !wishes.globalPrivacyControl && wishes.doNotTrack !== "1") follow();

function follow(): void {
  const url = `${(apiUrl || new URL(".", script!.src).href).replace(/\/+$/, "")}/api/widget/live`;
  const visit = attempt<Visit>(() => JSON.parse(sessionStorage.getItem(name("visit"))!)) ||
    { id: randomId(), since: Date.now(), from: bare(document.referrer), pages: [] };
  let timer = 0;
  const say = async (left?: boolean) => {
    if (!left && (document.hidden || !document.querySelector("relay-chat"))) return;
    const here = bare(location.href);
    if (visit.pages.at(-1) !== here) visit.pages = [...visit.pages, here].slice(-MOST);
    attempt(() => sessionStorage.setItem(name("visit"), JSON.stringify(visit)));
    const session = attempt<{ id: string; token: string }>(() => JSON.parse(localStorage.getItem(name("session"))!));
    const headers: Record<string, string> = { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" };
    if (session?.token) headers["X-Session-Token"] = session.token;
    const seconds = Math.min(Math.max(Date.now() - visit.since, 0) / 1000, 86_400);
    const body = { visit: visit.id, url: here, referrer: visit.from, pages: visit.pages, seconds, sessionId: session?.id, left };
    const answer = await fetch(url, { method: "POST", credentials: "omit", keepalive: left, headers, body: JSON.stringify(body) });
    if (answer.status === 404) return stop(); // it was switched off
    const { conversation } = (await answer.json()) as Answer;
    if (conversation) goOn(conversation.sessionId, conversation.sessionToken);
  };
  const soon = () => void say().catch(() => {});
  const leave = () => void say(true).catch(() => {});
  const events: [EventTarget, string, () => void][] = [
    [document, "visibilitychange", soon], [page.navigation || window, page.navigation ? "navigatesuccess" : "popstate", soon],
    [window, "pageshow", soon], [window, "pagehide", leave],
  ];
  const stop = () => {
    clearInterval(timer);
    for (const [target, event, fn] of events) target.removeEventListener(event, fn);
  };
  for (const [target, event, fn] of events) target.addEventListener(event, fn);
  timer = setInterval(soon, EVERY);
  soon();
}

/** goOn continues with the conversation that somebody of the team began. */
function goOn(id: string, token: string): void {
  attempt(() => localStorage.setItem(name("session"), JSON.stringify({ id, token, live: true })));
  page.RelayChat?.identify(page.RelayChat.getIdentity()); // which loads the conversation, as there is one now
}

function name(key: string): string {
  return `relay:${apiKey}:${key}`;
}

function bare(url: string): string {
  return url.split(/[?#]/)[0]!;
}

function attempt<T>(job: () => T): T | undefined {
  try {
    return job();
  } catch {
    return undefined;
  }
}
