// marks.ts draws what few messages have besides plain text: links, lists, code and
// emoji, files. Loaded with the first of them.

import { attachmentNode } from "./files";
import type { Actions, View } from "./bubble";
import { onlyEmoji, parse, type Piece } from "../../shared/markup";
import { h, link, sheet } from "../ui/dom";
import css from "./marks.css";
import type { Core } from "../types";

export interface Marks {
  styles: CSSStyleSheet;
  /** What stands in the bubble. */
  draw(v: View): Node[];
}

/** What the part needs of the panel. */
export interface Drawn {
  act: Actions;
  apiUrl: string;
}

/** create draws for the log. */
export function create(_: Core, { act, apiUrl }: Drawn): Marks {
  return {
    styles: sheet(css),
    draw({ content, slack, attachments }) {
      const inside: Node[] = attachments.map((a) => attachmentNode(a, apiUrl, act.play));
      if (content) inside.unshift(textNode(content, slack));
      return inside;
    },
  };
}

function textNode(text: string, slack?: boolean): Node {
  return h("div", { class: onlyEmoji(text) ? "text big" : "text" }, ...parse(text, slack).map(nodeOf));
}

function nodeOf(piece: Piece): Node {
  if (typeof piece === "string") return document.createTextNode(piece);
  const { tag, kids, href, start } = piece;
  return href ? link(String(kids[0]), href, { title: href }) : h(tag, { start }, ...kids.map(nodeOf));
}
