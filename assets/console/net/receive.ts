// Handles the events of the stream.

import { call, sessionPath, unreachable } from "./api";
import { fulfilled } from "../inbox/command";
import { byId } from "../ui/dom";
import { applied, needsFiles, needsSession, withoutSession } from "../state/events";
import { preview, visitorName } from "../ui/format";
import { loadBridges } from "./bridges";
import { attend, count, fetchSession, gone, inStep, loadThread, refresh, reload } from "./load";
import { me } from "../state/me";
import { attempt, set, state } from "../state/store";
import type { Message, Presence, StreamEvent, Undelivered } from "../types";
import { tr } from "../ui/texts";

const typingShown = 6_000;
const typingTimers: Record<string, number> = {};

const states: Record<string, (event: StreamEvent) => unknown> = {
  connected: (event) => {
    if (state.failure.endsWith(unreachable)) set({ failure: "" });
    set({ lost: false, presence: event["presence"] as Presence });
    void reload();
    set({ configs: state.configs + 1 });
    void loadBridges();
    document.dispatchEvent(new Event("relay-connected"));
  },
  resync: () => void reload(),
  operator_status: (event) =>
    state.presence && set({ presence: { ...state.presence, online: event["online"] === true, backAt: event["backAt"] as string } }),
  operator_presence: (event) => set({ presence: event as unknown as Presence }),
  typing: showTyping,
  operator_viewing: (detail) => document.dispatchEvent(new CustomEvent("relay-viewing", { detail })),
  visitor_draft: (detail) => document.dispatchEvent(new CustomEvent("relay-draft", { detail })),
  session_erased: (event) => forget(event.sessionId),
  delivery_failed: (event) => {
    if (event["dest"] === "webhook") set({ gaveUp: true });
    undelivered(event, { ...(event as unknown as Undelivered), reason: String(event["error"]) });
  },
  delivery_done: (event) => undelivered(event),
  config: () => {
    set({ configs: state.configs + 1 });
    void loadBridges();
  },
};

export const stateNames = Object.keys(states);

// receive handles states at once and facts in step with loading.
export function receive(event: StreamEvent): void {
  const handle = states[event.type];
  if (handle) handle(event);
  else inStep(() => take(event));
}

function take(event: StreamEvent): void {
  const { type, sessionId } = event;
  if (needsSession(event)) void fetchSession(sessionId).then(() => count(0));
  else set(applied(event));
  if (/^(message|session_|ai_)/.test(type)) count();
  if (/^(message|unanswered)$/.test(type)) arrived(event as unknown as Message);
  if (type === "message_read" && state.sessions.get(sessionId)?.unread) refresh(sessionId);
  if (movesWait(event)) refresh(sessionId);
  if (type === "note" && event["sender"] === "ai" && sessionId === state.selected) set({ answer: fulfilled() });
  if (state.ai && (type === "ai_takeover" || event["sender"] === "operator")) refresh(sessionId); // an answer ends the AI
  if (/^(message|note)/.test(type) && needsFiles()) void loadThread();
}

// movesWait reports whether only the server knows, after an event, since when the visitor waits: the AI
// may have handed over, and what was deleted or closed may have waited.
function movesWait({ type, sender, blocked }: StreamEvent): boolean {
  return /^(message_deleted|session_(reopened|merged)|ai_takeover)$/.test(type) || (type === "message" && sender === "ai") ||
    (type === "session_blocked" && blocked === false);
}

// arrived tells of what a visitor wrote, and of one who still waits: nobody sends that.
function arrived(m: Message): void {
  const session = state.sessions.get(m.sessionId);
  if (m.sender === "visitor" || !m.sender) {
    document.dispatchEvent(new CustomEvent("relay-received", { detail: m }));
    if (session) byId("announce").textContent = visitorName(session) + ": " + preview(m);
  }
  attend();
}

function showTyping(event: StreamEvent): void {
  const id = event.sessionId;
  const name = event["sender"] === "visitor" ? "" : String(event["operatorName"] ?? tr("Another operator"));
  if (name === me) return;
  const put = (who?: string): void => set({ typing: { ...state.typing, [id]: who } });
  clearTimeout(typingTimers[id]);
  put(event["active"] ? name : undefined);
  typingTimers[id] = setTimeout(put, typingShown);
}

// undelivered marks what a bridge did not take, or takes the mark away.
function undelivered({ sessionId, id, dest }: StreamEvent & { id?: unknown }, entry?: Undelivered): void {
  if (dest === "webhook") return;
  void loadBridges();
  if (sessionId !== state.selected) return;
  const others = state.undelivered.filter((u) => u.id !== id);
  set({ undelivered: entry ? [...others, entry] : others });
}

function forget(id: string): void {
  gone.add(id);
  if (id === state.selected) location.hash = "#/";
  set(withoutSession(id));
  count();
}

const events = { close: "session_closed", reopen: "session_reopened" };

// change runs an action on the open session; its own event then finds nothing left to do.
export async function change(verb: keyof typeof events): Promise<void> {
  const id = state.selected;
  const failed = verb === "close" ? tr("Could not close") : tr("Could not reopen");
  const done = await attempt(call("POST", sessionPath(id) + "/" + verb, {}), failed);
  if (done) receive({ type: events[verb], sessionId: id });
}
