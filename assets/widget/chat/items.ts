// items.ts lists what the log shows of a stretch of the conversation: messages,
// day lines, what happened between them, and notices.

import { bubble, pendingView, quoteOf, viewOf, type Actions, type View } from "./bubble";
import { h } from "../ui/dom";
import { pictureOf } from "./face";
import type { Item } from "./rows";
import { fill, named, saying, t } from "../text/strings";
import { dayOf } from "../text/time";
import type { Entry, State } from "../types";

/** Messages of one sender this close together form a group. */
const GROUP = 5 * 60_000;

/** itemsOf is that of the messages from..to, in order; the pending ones count behind the others. */
export function itemsOf(state: State, from: number, to: number, act: Actions, apiUrl: string): Item[] {
  const { greeting, messages, pending, timeline } = state;
  const name = named(state);
  const count = messages.length + pending.length;
  const find = (id: string) => messages.find((m) => m.id === id);
  const viewAt = (i: number) => {
    const m = messages[i];
    const p = pending[i - messages.length];
    const v = m ? viewOf(m, name) : p && pendingView(p);
    const { replyTo } = m || p || {};
    if (v && (state.stop || i + 1 < count)) v.buttons = v.buttons?.filter((b) => b.url);
    if (v && replyTo) v.quote = quoteOf(replyTo, find, name);
    return v;
  };
  const views: View[] = [];
  const greet = () => greeting && views.push(said("greeting", greeting.text, name, greeting.at));
  const welcome = state.ready && !state.hasMore && !from;
  const hello = welcome && saying(state, "welcomeMessage");
  if (hello) views.push(said("welcome", hello, name, ""));
  const known = greeting && messages.some((m) => m.id === greeting.after);
  if (!from && !known) greet();
  const answer = messages.findLast((m) => m.sender !== "visitor");
  for (let i = from; i < to; i++) {
    const v = viewAt(i)!;
    if (v.ai && v.id === answer?.id) v.person = state.ai;
    views.push(v);
    if (known && v.id === greeting.after) greet();
  }
  const items: Item[] = [];
  // That the chat is closed now stands at its end.
  const now = state.closed ? timeline.findLast((e) => e.type === "session_closed") : undefined;
  const marks = (id: string) =>
    timeline.forEach((e) => e.after === id && e !== now && items.push(line(e.type + e.at, words(e), "note")));
  if (!state.hasMore && !from) marks("");
  // Of the oldest loaded message it is not known yet whether its day begins there.
  const before = messages[from ? from - 1 : state.hasMore ? 0 : -1];
  let day = before ? dayOf(before.timestamp) : "";
  views.forEach((v, i) => {
    const today = v.at && dayOf(v.at);
    if (today && today !== day) items.push(line("day:" + v.key, today, "day"));
    day = today || day;
    // A welcome alone needs no name.
    v.last = !!(count || greeting) && !together(v, views[i + 1] || viewAt(to));
    v.picture = v.last ? pictureOf(v.who, v.name, name, state.config.operatorAvatar, apiUrl) : "";
    v.raw = act.raw(v);
    items.push({ key: v.key, sign: JSON.stringify(v), draw: () => bubble(v, act) });
    if (v.id) marks(v.id);
  });
  if (to < count) return items;
  const offline = !state.operatorOnline && !state.ai && !state.hasMore && state.ready && !state.closed;
  const away = offline && saying(state, "offlineMessage");
  if (away) items.push(line("offline", away, "note"));
  if (state.closed) items.push(closed(act));
  return items;
}

function together(v: View, next?: View): boolean {
  if (!next || next.own !== v.own || next.name !== v.name) return false;
  return Date.parse(next.at) - Date.parse(v.at) < GROUP;
}

/** words returns the text of a timeline entry. */
function words({ type, data }: Entry): string {
  if (type === "csat_submitted") return fill(t.rated, data);
  return type === "session_closed" ? t.wasClosed : t.wasReopened;
}

/** said is a text that the widget shows in the operator's place. */
function said(id: string, content: string, operatorName: string, timestamp: string): View {
  const sender = "operator" as const;
  const message = { id, sessionId: "", content, sender, operatorName, timestamp, attachments: [] };
  return { ...viewOf(message, operatorName), id: "" };
}

/** closed offers a choice: continue, or start a new conversation. */
function closed(act: Actions): Item {
  const draw = () =>
    h("p", { class: "note" }, h("span", null, t.closed), h("button", { class: "chip", onclick: act.begin }, t.newChat));
  return { key: "closed", sign: t.closed, draw };
}

function line(key: string, text: string, kind: string): Item {
  return { key, sign: text, draw: () => h("p", { class: kind, dir: "auto" }, h("span", null, text)) };
}
