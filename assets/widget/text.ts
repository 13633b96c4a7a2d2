// text.ts makes nodes of the text of a message, and links that are safe.

import { h } from "./dom";
import { parse, type Piece } from "./markup";

/** link makes an anchor that tells the other site nothing and gives it nothing. */
export function link(text: string, href: string, extra?: Record<string, unknown>): HTMLElement {
  const rel = "noopener noreferrer nofollow ugc";
  return h("a", { href, target: "_blank", rel, ...extra }, text);
}

/** textNodes renders text with its marks and links. */
export function textNodes(text: string, slack?: boolean): Node[] {
  return parse(text, slack).map(nodeOf);
}

function nodeOf(piece: Piece): Node {
  if (typeof piece === "string") return document.createTextNode(piece);
  const { tag, kids, href, start } = piece;
  return href ? link(String(kids[0]), href, { title: href }) : h(tag, { start }, ...kids.map(nodeOf));
}
