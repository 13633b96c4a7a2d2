// The outbox: what operators write is kept in the browser until relay has stored it, so that an outage, a reload and
// an expired sign-in lose nothing. Each conversation's messages are sent in order.

import { ApiError, call, sessionPath } from "../net/api";
import { byId } from "../ui/dom";
import { giveBack } from "../state/drafts";
import { randomId } from "../../shared/random";
import { me, myId } from "../state/me";
import { without } from "../state/pending";
import { receive } from "../net/receive";
import { set, state } from "../state/store";
import type { View } from "../state/store";
import type { Message, Pending } from "../types";
import { tr } from "../ui/texts";

const prefix = "relay:outbox:" + (myId || me) + ":";

// What was written longer ago is sent only when the operator asks: the conversation has moved on.
const fresh = 24 * 3600_000;
const shortest = 1_000;
const longest = 30_000;

let wait = shortest;
let timer = 0;
let busy = false;

// stored are the keys of what the browser keeps. Where storage is forbidden, the outbox lasts as long as the page.
const stored = new Set<string>();

function keep(p: Pending): void {
  try {
    localStorage.setItem(prefix + p.clientId, JSON.stringify(p));
    stored.add(p.clientId);
  } catch {
    // Storage is full or forbidden.
  }
}

function kept(): Pending[] {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(prefix));
    return keys.map((key) => JSON.parse(localStorage.getItem(key) ?? "null") as Pending).filter((p) => p?.clientId);
  } catch {
    return [];
  }
}

// outboxView keeps in storage what the outbox has.
export const outboxView: View = ({ outbox }, before) => {
  if (outbox === before.outbox) return;
  for (const p of outbox) if (!before.outbox.includes(p)) keep(p);
  for (const p of before.outbox) if (!outbox.some((other) => other.clientId === p.clientId)) forget(p.clientId);
};

function forget(clientId: string): void {
  stored.delete(clientId);
  try {
    localStorage.removeItem(prefix + clientId);
  } catch {
    // It was never stored.
  }
}

// follow takes over what another tab has put into storage or taken from it.
function follow(): void {
  const own = new Map(state.outbox.map((p) => [p.clientId, p]));
  const there = kept().map((p) => {
    const known = own.get(p.clientId);
    return known && JSON.stringify(known) === JSON.stringify(p) ? known : p;
  });
  for (const { clientId } of there) stored.add(clientId);
  const unstored = state.outbox.filter((p) => !stored.has(p.clientId));
  const outbox = [...there, ...unstored].sort((a, b) => a.at - b.at);
  if (outbox.length !== own.size || outbox.some((p) => p !== own.get(p.clientId))) set({ outbox });
}

function patch(p: Pending, change: Partial<Pending>): void {
  set({ outbox: state.outbox.map((other) => (other.clientId === p.clientId ? { ...other, ...change } : other)) });
}

// enqueue sends a message once, as soon as relay can be reached.
export function enqueue(p: Omit<Pending, "clientId" | "at">): void {
  const clientId = taken && words(taken) === words(p) ? taken.clientId : randomId();
  taken = undefined;
  const at = Math.max(Date.now(), (state.outbox.at(-1)?.at ?? 0) + 1);
  const next = { ...p, clientId, at };
  keep(next); // now: the page may be left at once
  set({ outbox: [...state.outbox, next] });
  void flush();
}

// taken was taken back although relay may have stored it. The same words again are the same message.
let taken: Pending | undefined;

const words = ({ sessionId, content, internal, replyTo, attachments }: Omit<Pending, "clientId" | "at">): string =>
  JSON.stringify([sessionId, content, internal, replyTo, attachments.map((a) => a.id)]);

// revive sends what waits, when relay is back.
export function revive(): void {
  wait = shortest;
  void flush();
}

// again sends what was refused, or what is too old to be sent by itself.
export function again(p: Pending): void {
  const { refused: _, ...rest } = p;
  set({ outbox: state.outbox.map((other) => (other.clientId === p.clientId ? rest : other)) });
  revive();
}

// discard takes a message from the outbox, takeBack back into the composer.
export function discard(p: Pending): void {
  set({ outbox: without(p.clientId) });
}

export function takeBack(p: Pending): void {
  discard(p);
  if (!p.refused) taken = p;
  giveBack(p.sessionId, p.internal ? "// " + p.content : p.content);
  byId("composer").focus();
}

// flush sends what waits. Tabs take turns: each of them may have all of it.
async function flush(): Promise<void> {
  if (busy) return;
  busy = true;
  clearTimeout(timer);
  const round = async (): Promise<boolean> => {
    follow();
    return sendAll();
  };
  const done = await (navigator.locks?.request(prefix, round) ?? round());
  busy = false;
  if (done) wait = shortest;
  if (done) return state.outbox.some((p) => !p.refused) ? flush() : undefined; // written meanwhile
  timer = setTimeout(flush, wait);
  wait = Math.min(wait * 2, longest);
}

// sendAll sends what can be sent and reports whether nothing is left that waits. A conversation in
// which a message waits is passed over, so that its messages keep their order.
async function sendAll(): Promise<boolean> {
  const held = new Set<string>();
  for (;;) {
    const next = state.outbox.find((p) => !p.refused && !held.has(p.sessionId));
    if (!next) return !held.size;
    const outcome = await send(next);
    if (outcome === "unreachable") {
      set({ outbox: state.outbox.map((p) => (p.tried ? p : { ...p, tried: true })) });
      return false;
    }
    if (outcome === "later") held.add(next.sessionId);
  }
}

async function send(p: Pending): Promise<"done" | "later" | "unreachable"> {
  const { sessionId, content, replyTo, internal, clientId } = p;
  const body = { content, replyTo, internal, attachmentIds: p.attachments.map((a) => a.id), clientId };
  try {
    const sent = await call<Message>("POST", sessionPath(sessionId) + "/messages", body);
    set({ outbox: without(clientId) });
    receive({ ...sent, type: internal ? "note" : "message" });
    return "done";
  } catch (error) {
    const { status, message } = error as ApiError;
    const passing = !status || status >= 500 || [401, 408, 429].includes(status);
    if (passing && !p.tried) byId("announce").textContent = tr("Not sent yet. It is sent as soon as relay can be reached.");
    if (passing) patch(p, { tried: true });
    else refuse(p, message, status);
    return !status || status === 401 ? "unreachable" : passing ? "later" : "done";
  }
}

// refuse keeps a message that relay does not accept, unless its conversation is gone.
function refuse(p: Pending, reason: string, status: number): void {
  if (p.sessionId !== state.selected) set({ failure: tr("Not sent: {reason}", { reason }) });
  if (status === 404 && !state.sessions.get(p.sessionId)) discard(p);
  else patch(p, { refused: reason });
}

// restoreOutbox takes up what an earlier page left unsent.
export function restoreOutbox(): void {
  follow();
  for (const p of state.outbox) if (Date.now() - p.at > fresh && !p.refused) patch(p,
    { refused: tr("it was written more than a day ago") });
  addEventListener("storage", (e) => {
    if (!e.key || e.key.startsWith(prefix)) follow();
  });
}

// clearOutbox takes everything from the browser, when its person signs out.
export function clearOutbox(): void {
  for (const { clientId } of state.outbox) forget(clientId);
}
