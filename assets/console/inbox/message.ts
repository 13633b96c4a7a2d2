// One message of the open session as a DOM node.

import { face } from "../ui/avatar";
import { h, icon, iconButton, newTab } from "../ui/dom";
import { clockTime, platformName, fileURL, fullTime, preview, webURL } from "../ui/format";
import { me } from "../state/me";
import { changes, edit, mayChange, retry } from "./write";
import { again, discard, takeBack } from "./outbox";
import { attempt, set } from "../state/store";
import { onlyEmoji, parse, starIsBold, type Piece } from "../../shared/markup";
import { sizeOf } from "../../shared/size";
import type { Attachment, Message, Pending, Undelivered } from "../types";
import { tr } from "../ui/texts";

const inlineTypes = /^image\/(png|jpe?g|gif|webp|avif)$/;

// marked shows a piece of a text as the visitor sees it.
function marked(piece: Piece): Node | string {
  if (typeof piece === "string") return piece;
  const { tag, kids, href, start } = piece;
  return h(tag, href ? { href, title: href, ...newTab } : { start }, ...kids.map(marked));
}

function fileChip(a: Attachment): HTMLElement {
  const href = fileURL(a.url) || undefined;
  const words = h("span", {}, h("b", {}, a.filename), h("small", {}, sizeOf(a.size)));
  return h("a", { class: "file", href, ...newTab }, icon("file"), words);
}

function attachment(a: Attachment): HTMLElement {
  const src = fileURL(a.url);
  if (src && a.mimeType.startsWith("audio/")) {
    const sound = h("audio", { src, controls: "", preload: "none" });
    if (a.durationMs) import("./sound").then(({ player }) => sound.replaceWith(player(a)), () => {});
    return h("div", { class: "sound" }, sound, fileChip(a));
  }
  if (!src || !inlineTypes.test(a.mimeType)) return fileChip(a);
  const link = h("a", { class: "image", href: src, ...newTab, onclick: (e: MouseEvent) => enlarge(e, a) });
  link.append(h("img", { src, alt: a.filename, onerror: () => link.replaceWith(fileChip(a)) }));
  return link;
}

// enlarge shows a picture over the page, unless a new tab was asked for.
function enlarge(e: MouseEvent, a: Attachment): void {
  if (e.ctrlKey || e.metaKey || e.shiftKey) return;
  e.preventDefault();
  import("./lightbox").then(({ show }) => show(a, inlineTypes), () => window.open(fileURL(a.url), "_blank", "noopener"));
}

export function senderName(m: Message): string {
  const ai = m.sender === "ai";
  const name = m.operatorName;
  const writer = ai ? tr("AI") : name;
  if (m.internal) return (m.draft ? tr("Draft") : tr("Internal note")) + (writer ? " " + tr("by {name}", { name: writer }) : "");
  if (m.sender === "visitor") return tr("Visitor");
  return ai && name ? name + " (" + tr("AI") + ")" : writer || tr("Operator");
}

// quoted leads to the message that is answered, which may not be loaded.
function quoted(id: string, m: Message | undefined, jump: (id: string) => void): HTMLElement {
  return h("button", { class: "quote", onclick: () => jump(id) }, h("b", {}, m ? senderName(m) : tr("Reply to an earlier message")),
    !!m && h("span", { dir: "auto" }, preview(m).slice(0, 140)));
}

// receipt describes how far an operator's message got.
function receipt(m: Message): HTMLElement | false {
  if (m.sender === "visitor" || m.deletedAt || (m.internal && !m.local)) return false;
  const stored = m.readAt ? tr("Read {time}", { time: fullTime(m.readAt) }) : m.deliveredAt ? tr("Delivered") : tr("Sent");
  const label = m.local?.tried ? tr("Waiting to be sent") : m.local ? tr("Sending") : stored;
  const name = m.local ? "wait" : m.readAt || m.deliveredAt ? "read" : "sent";
  return h("span", { class: m.readAt ? "receipt seen" : "receipt", role: "img", "aria-label": label, title: label }, icon(name));
}

// origin is where an operator wrote, "" for the console. A visitor's message has one through an agent.
export const origin = (m: Message): string =>
  m.sender === "ai" || !m.sourceBridge || m.sourceBridge === "console" ? "" : " · " + platformName(m.sourceBridge);

// meta is what always stands below the last message of a group, and below those that were changed.
function meta(m: Message, end: boolean): HTMLElement | false {
  const change = m.draft ? m.sentAt && " · used" : m.editedAt && !m.deletedAt && " · edited";
  if (!end && !change && !m.local) return false;
  return h("span", { class: "meta" }, clock(m), origin(m), change, m.local?.tried && !m.local.refused && " · " + tr("waiting to be sent"),
    !m.local?.refused && receipt(m));
}

// unsent is below a message that waits for relay or was refused: why, and what can be done about it.
function unsent(p: Pending): HTMLElement | false {
  if (!p.tried && !p.refused) return false;
  const button = (name: string, act: (p: Pending) => void): HTMLElement =>
    h("button", { class: "link-button", onclick: () => act(p) }, name);
  return h("p", { class: p.refused ? "undelivered" : "undelivered unsent" }, p.refused && tr("Not sent: {reason}", { reason: p.refused }) +
    " · ",
    p.refused && button(tr("Send now"), again), p.refused && " · ", button(tr("Edit"), takeBack), " · ", button(tr("Discard"), discard));
}

const clock = (m: Message): HTMLElement => h("time", { datetime: m.timestamp, title: fullTime(m.timestamp) }, clockTime(m.timestamp));

function tools(m: Message): HTMLElement | false {
  if (m.deletedAt || m.local) return false;
  return h("span", { class: "tools" },
    h("span", { class: "tools-time", "aria-hidden": "true" }, clockTime(m.timestamp)),
    iconButton("reply", tr("Reply to this message"), () => set({ quote: m, editing: null })),
    iconButton("link", tr("Copy link to this message"), async () =>
      (await attempt(import("./link"), tr("Not copied")))?.copyLink(m)),
    mayChange(m) && iconButton("edit", tr("Edit message"), () => edit(m)),
    mayChange(m) && iconButton("trash", tr("Delete message"), async () => (await changes())?.remove(m)));
}

function bubble(m: Message, { quote, jump }: Place): HTMLElement {
  if (m.deletedAt) return h("div", { class: "bubble gone" }, tr("Message deleted"));
  return h("div", { class: "bubble" },
    m.replyTo && quoted(m.replyTo, quote, jump),
    m.content && h("div", { class: onlyEmoji(m.content) ? "words big" : "words", dir: "auto" },
      ...parse(m.content, starIsBold(m.sourceBridge)).map(marked)),
    ...m.attachments.map(attachment),
    ...(m.buttons || []).map((b) => h("div", { title: b.url }, "▸ " + b.text)),
    !!m.sources?.length && h("ol", { class: "sources", "aria-label": tr("Sources") }, ...m.sources.map(source)));
}

// source links to a page that an AI's answer rests on, and only to a page.
function source({ title, url }: { title: string; url: string }): HTMLLIElement {
  return h("li", {}, webURL(url) ? h("a", { href: url, ...newTab }, title || url) : title || url);
}

// draftButtons are below the draft that waits.
function draftButtons(m: Message): HTMLElement {
  const ai = (): Promise<typeof import("./ai") | undefined> => attempt(import("./ai"), tr("Not done"));
  const button = (name: string, onclick: () => void): HTMLElement => h("button", { class: "button small", onclick }, name);
  return h("div", { class: "draft-buttons" }, button(tr("Send"), async () => (await ai())?.sendDraft()),
    button(tr("Edit"), async () => (await ai())?.editDraft(m)));
}

// Place is how a message stands among the others.
export interface Place {
  // first and end: it begins or ends what one person wrote in a row.
  first: boolean;
  end: boolean;
  quote: Message | undefined;
  jump(id: string): void;
  stuck: readonly Undelivered[];
  // waits: it is the draft that would be sent.
  waits: boolean;
}

// isMine reports whether the operator wrote it, wherever.
const isMine = (m: Message): boolean => m.sender === "operator" && (!m.operatorName || m.operatorName === me);

// who names the sender: with a face, unless it is the visitor, or oneself.
function who(m: Message, first: boolean): HTMLElement {
  const seen = first && m.sender !== "visitor" && (!isMine(m) || m.internal);
  const named = !m.internal && m.sender === "operator" && m.operatorName;
  return h("span", { class: seen ? "who" : "sr" }, seen && named && face(named, named, "tiny"), senderName(m));
}

// messageItem builds the whole item.
export function messageItem(m: Message, place: Place): HTMLLIElement {
  const { first, end, stuck, waits } = place;
  const marks = [m.internal && "internal", first && "first", end && "end", m.local && "local",
    (m.local?.tried || m.local?.refused) && "kept", isMine(m) && "mine"].filter(Boolean);
  return h("li", { class: ["message", "from-" + m.sender, ...marks].join(" "), tabindex: "-1", "data-id": m.id },
    who(m, first),
    h("div", { class: "line" }, bubble(m, place), tools(m)),
    waits && draftButtons(m),
    meta(m, end),
    m.local && unsent(m.local),
    ...stuck.map(undeliveredLine));
}

// undeliveredLine says what a bridge did not take, and why.
export function undeliveredLine(u: Undelivered): HTMLElement {
  const dest = platformName(u.dest);
  const what = u.state === "failed" ? tr("Not delivered to {dest}", { dest }) : tr("Not yet delivered to {dest}", { dest });
  const again = h("button", { class: "link-button", onclick: () => retry(u) }, tr("Retry"));
  return h("p", { class: "undelivered" }, what + ": " + u.reason + " · ", again);
}
