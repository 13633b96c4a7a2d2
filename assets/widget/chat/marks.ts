// marks.ts draws texts with links, lists, code and emoji. Loaded with the first
// message that may have any.

import { onlyEmoji, parse, type Piece } from "../../shared/markup";
import { h, link, sheet } from "../ui/dom";
import css from "./marks.css";

export interface Marks {
  styles: CSSStyleSheet;
  text(text: string, slack?: boolean): HTMLElement;
}

/** create needs nothing of the chat. */
export function create(): Marks {
  return {
    styles: sheet(css),
    text: (text, slack) =>
      h("div", { class: onlyEmoji(text) ? "text big" : "text" }, ...parse(text, slack).map(nodeOf)),
  };
}

function nodeOf(piece: Piece): Node {
  if (typeof piece === "string") return document.createTextNode(piece);
  const { tag, kids, href, start } = piece;
  return href ? link(String(kids[0]), href, { title: href }) : h(tag, { start }, ...kids.map(nodeOf));
}
