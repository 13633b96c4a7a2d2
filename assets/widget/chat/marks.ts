// marks.ts draws what few messages have besides plain text: links, lists, code and
// emoji, files, the message that is answered, sources. Loaded with the first of them.

import { attachmentNode } from "./files";
import type { Actions, Quote, Rich, View } from "./bubble";
import { onlyEmoji, parse, type Piece } from "../../shared/markup";
import { marks as english } from "../lang/en.json";
import { h, link, sheet } from "../ui/dom";
import css from "./marks.css";
import type { Core, Source } from "../types";

export interface Marks {
  styles: CSSStyleSheet;
  draw(v: View): Rich;
}

/** What the part needs of the panel. */
export interface Drawn {
  act: Actions;
  apiUrl: string;
}

/** create draws for the log. */
export function create(core: Core, { act, apiUrl }: Drawn): Marks {
  const t = core.words("marks", english);
  return {
    styles: sheet(css),
    draw({ content, slack, quote, attachments, sources = [] }) {
      const inside: Node[] = attachments.map((a) => attachmentNode(a, apiUrl, act.play));
      if (content) inside.unshift(textNode(content, slack));
      if (quote) inside.unshift(quoteNode(quote, act));
      const chips = sources.map((s, i) => sourceNode(s, content.includes(`[${i + 1}]`) ? `${i + 1} ` : ""));
      return { inside, behind: chips[0] ? [h("ul", { class: "flex sources", "aria-label": t.sources }, ...chips)] : [] };
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

/** sourceNode is a link only to a page: what the server names is not trusted. */
function sourceNode({ title, url }: Source, number: string): HTMLElement {
  const name = number + (title || url);
  const chip = { class: "chip", dir: "auto" };
  return h("li", null, /^https?:\/\//i.test(url) ? link(name, url, chip) : h("span", chip, name));
}

function quoteNode({ id, name, text }: Quote, act: Actions): HTMLElement {
  const words = h("span", { dir: "auto" }, text);
  return h("button", { class: "quote", onclick: () => act.jump(id) }, name && h("b", null, name), words);
}
