// bubble.ts draws one message: its text and the line below it. What few messages
// have besides is drawn by marks.ts.

import { h, link, textButton } from "../ui/dom";
import { face } from "./face";
import { t } from "../text/strings";
import { timeOf } from "../text/time";
import type { Attachment, Button, Message, Pending, Source } from "../types";

/** What a bubble shows; two equal views look the same. */
export interface View {
  key: string;
  id: string;
  own: boolean;
  ai: boolean;
  name: string;
  /** The person of the team who wrote, and the picture that stands beside the last of several. */
  who?: string;
  picture?: string;
  content: string;
  /** Slack's marks differ. */
  slack?: boolean;
  /** Shown as written: it is plain text, or what draws the rest is on its way. */
  raw?: boolean;
  attachments: Attachment[];
  deleted: boolean;
  edited: boolean;
  at: string;
  /** Last of several by the same sender: only there stand name and time. */
  last: boolean;
  state: "" | "sending" | "failed" | "sent" | "delivered" | "read";
  /** The message that this one answers, in short. */
  quote?: Quote;
  sources?: Source[];
  /** What the visitor can choose: links, and as long as nobody has written since, answers. */
  buttons?: Button[];
  /** An AI's newest answer: below it the visitor can ask for a person. */
  person?: boolean;
}

export interface Quote {
  id: string;
  name: string;
  text: string;
}

export interface Actions {
  /** key is for what a key does to a message: r, Enter or Delete. */
  key(id: string, key: string): void;
  /** drawn follows each drawing of the log. */
  drawn(): void;
  /** jump shows a message of the log, also one that has to be loaded. */
  jump(id: string): void;
  retry(clientId: string): void;
  discard(clientId: string): void;
  handoff(): void;
  /** choose sends a quick reply. */
  choose(text: string): void;
  /** begin starts a new conversation. */
  begin(): void;
  /** raw: whether a message is shown as written for now; rich draws one that is not. */
  raw(v: View): boolean;
  rich(v: View): Node[];
  /** play makes a player of what holds the link to a sound. */
  play(holder: HTMLElement): void;
}

/** nameOf is who wrote a message, in the visitor's words. */
export function nameOf(m: Message, fallbackName: string): string {
  if (m.sender === "visitor") return t.you;
  return m.operatorName || (m.sender === "ai" ? t.assistant : fallbackName);
}

/** brief is a message in one line. */
export function brief(m: Message): string {
  if (m.deletedAt) return t.deleted;
  return m.content.slice(0, 140) || m.attachments[0]?.filename || t.file;
}

/** quoteOf shows what a message answers; what is not loaded has no text here. */
export function quoteOf(id: string, find: (id: string) => Message | undefined, fallbackName: string): Quote {
  const m = find(id);
  return m ? { id, name: nameOf(m, fallbackName), text: brief(m) } : { id, name: "", text: t.earlier };
}

/** viewOf prepares a confirmed message. */
export function viewOf(m: Message, fallbackName: string): View {
  const own = m.sender === "visitor";
  const state = m.readAt ? "read" : m.deliveredAt ? "delivered" : "sent";
  return {
    key: (own && m.clientId) || m.id,
    id: m.id,
    own,
    ai: m.sender === "ai",
    name: nameOf(m, fallbackName),
    who: m.operatorId,
    content: m.content,
    slack: m.sourceBridge === "slack",
    attachments: m.attachments || [],
    deleted: !!m.deletedAt,
    edited: !!m.editedAt,
    at: m.timestamp,
    last: true,
    state: own ? state : "",
    sources: m.deletedAt ? [] : m.sources,
    buttons: m.deletedAt ? [] : m.buttons,
  };
}

/** pendingView prepares a message that is still on its way. */
export function pendingView(p: Pending): View {
  const message = { ...p, id: "", sessionId: "", sender: "visitor" as const, timestamp: p.at };
  return { ...viewOf(message, ""), state: p.failed ? "failed" : "sending" };
}

/** bubble draws a view. Own messages are not read out: the writer knows them. */
export function bubble(v: View, act: Actions): HTMLElement {
  const side = v.own ? "own" : "theirs";
  const inside = v.raw ? asWritten(v) : act.rich(v);
  return h(
    "div",
    {
      class: `row ${side} ${v.last ? "last" : ""} ${v.deleted ? "deleted" : v.state}`,
      tabindex: -1,
      "data-id": v.id,
      "aria-live": v.own && "off",
    },
    h("span", { class: "sr" }, `${v.name}${v.ai ? ` (${t.ai})` : ""}: `),
    h(
      "div",
      { class: "line" },
      !v.own && v.last && face(v.name, v.picture),
      h("div", { class: "bubble", dir: "auto" }, v.quote && !v.deleted && quoteNode(v.quote, act), ...inside),
    ),
    v.sources?.length &&
      h("ul", { class: "flex sources", "aria-label": t.sources },
        ...v.sources.map((s, i) => sourceNode(s, v.content.includes(`[${i + 1}]`) ? `${i + 1} ` : ""))),
    v.buttons?.length && h("div", { class: "flex sources" }, ...v.buttons.map((b) => choiceNode(b, act))),
    below(v, act),
    v.person && h("button", { class: "chip", onclick: act.handoff }, t.person),
  );
}

/** asWritten is a message without all that marks.ts draws. */
function asWritten({ deleted, content, attachments }: View): Node[] {
  const text = deleted ? t.deleted : content || attachments[0]?.filename;
  return text ? [h("div", { class: "text" }, text)] : [];
}

/** sourceNode is a link only to a page: what the server names is not trusted. */
function sourceNode({ title, url }: Source, number: string): HTMLElement {
  const name = number + (title || url);
  const chip = { class: "chip", dir: "auto" };
  return h("li", null, /^https?:\/\//i.test(url) ? link(name, url, chip) : h("span", chip, name));
}

/** choiceNode is a link only to what a click may open. */
function choiceNode({ text, url }: Button, act: Actions): HTMLElement {
  const chip = { class: "chip", dir: "auto" };
  if (!url) return h("button", { ...chip, onclick: () => act.choose(text) }, text);
  return /^(https?|mailto):/i.test(url) ? link(text, url, chip) : h("span", chip, text);
}

function quoteNode({ id, name, text }: Quote, act: Actions): HTMLElement {
  const words = h("span", { dir: "auto" }, text);
  return h("button", { class: "quote", onclick: () => act.jump(id) }, name && h("b", null, name), words);
}

/** below is the line under the bubble: a failure, or the facts. */
function below(v: View, act: Actions): HTMLElement | null {
  if (v.state === "failed") {
    return h("div", { class: "meta bad" }, h("span", { role: "alert" }, t.notSent),
      textButton(t.again, () => act.retry(v.key)), textButton(t.discard, () => act.discard(v.key)));
  }
  if (!v.last && v.state !== "sending") return null;
  const facts = [v.at && timeOf(v.at), v.edited && !v.deleted && t.edited, mark(v)].filter(Boolean);
  if (!v.own) facts.unshift(""); // behind the name
  const badge = v.ai && h("b", { class: "ai" }, t.ai);
  return h("div", { class: "meta" }, badge, h("span", null, !v.own && h("bdi", null, v.name), facts.join(" · ")));
}

function mark(v: View): string {
  if (!v.state || v.state === "failed" || v.deleted) return "";
  return t[v.state];
}
