// text.ts turns the text of a message into nodes: plain text, and links for
// http, https and mailto. Nothing else in a message has a meaning.

import { h } from "./dom";

const CANDIDATE = /(?:https?:\/\/|mailto:)[^\s<>"'`]+/gi;

/** A piece of text; href is set where it is a link. */
export interface Piece {
  text: string;
  href?: string;
}

/** tokenize splits text; the pieces put together are the text again. */
export function tokenize(text: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const match of text.matchAll(CANDIDATE)) {
    const found = withoutTail(match[0]);
    const href = address(found);
    if (!href) continue;
    if (match.index > at) pieces.push({ text: text.slice(at, match.index) });
    pieces.push({ text: found, href });
    at = match.index + found.length;
  }
  if (at < text.length) pieces.push({ text: text.slice(at) });
  return pieces;
}

/** withoutTail leaves out what ends the sentence, not the address. */
function withoutTail(url: string): string {
  const bracket = url.indexOf("(");
  let end = url.length;
  for (; end > 0; end--) {
    const last = url[end - 1]!;
    const unmatched = last === ")" && (bracket < 0 || bracket >= end);
    if (!unmatched && !".,;:!?*_~]}…".includes(last)) break;
  }
  return url.slice(0, end);
}

/** address is undefined for what only begins like an address. */
function address(text: string): string | undefined {
  try {
    return new URL(text).href;
  } catch {
    return undefined;
  }
}

/** link makes an anchor that tells the other site nothing and gives it nothing. */
export function link(text: string, href: string, extra?: Record<string, unknown>): HTMLElement {
  const rel = "noopener noreferrer nofollow ugc";
  return h("a", { href, target: "_blank", rel, ...extra }, text);
}

/** textNodes renders text with its links. */
export function textNodes(text: string): Node[] {
  return tokenize(text).map((p) =>
    p.href ? link(p.text, p.href) : document.createTextNode(p.text),
  );
}
