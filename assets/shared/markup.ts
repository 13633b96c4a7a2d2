// markup.ts reads the marks that people and platforms put into a text: bold,
// italic, struck, code, lists, quotes, links. What is not surely a mark stays as written;
// the pieces make nodes, never HTML.

/** A text, or an element with what is in it. */
export type Piece = string | Block;
export interface Block {
  tag: Tag;
  kids: Piece[];
  href?: string;
  /** The number of a list's first item. */
  start?: string;
}
export type Tag = "a" | "b" | "i" | "s" | "code" | "pre" | "ul" | "ol" | "li" | "blockquote";

/** A mark reaches this far, so that no text takes long to read. */
const WORDS = "[^\\n]{1,500}?";

/** pair matches a mark around words, itself beside no letter of other words. */
const pair = (mark: string, sign: string) =>
  `(?<![\\p{L}\\p{N}\\\\])${mark}(?![\\s${sign}])(${WORDS})(?<![\\s${sign}])${mark}(?![\\p{L}\\p{N}${sign}])`;

const INLINE = new RegExp(
  ["`{1,3}([^`\\n]{1,500})`{1,3}", "\\[([^[\\]\\n]{1,200})\\]\\(([^\\s()]{1,2000})\\)", "((?:https?://|mailto:)[^\\s<>\"'`]+)"]
    .concat(pair("\\*\\*", "*"), pair("__", "_"), pair("\\*", "*"), pair("_", "_"), pair("~~?", "~"))
    .join("|"),
  "giu",
);
const FENCE = /```(?:[\w+-]{1,20}\n)?([^]+?)```\n?/g;
const ITEM = /^[ \t]{0,20}(?:[-*•]|(\d{1,3})[.)])[ \t]{1,20}(?=\S)/;
const QUOTE = /^>(?: |\n|$)/;
const HEADING = /^#{1,4} +(?=\S)/;

/** A single star is bold in what comes from Slack, italic elsewhere. */
export const starIsBold = (source?: string): boolean => source === "slack";

/** parse reads a text; slack says that a single star is bold. */
export function parse(text: string, slack = false): Piece[] {
  const out: Piece[] = [];
  let at = 0;
  for (const { index, 0: all, 1: code } of text.matchAll(FENCE)) {
    if (!code!.includes("\n")) continue; // one line: code in it
    out.push(...lines(text.slice(at, index), slack), { tag: "pre", kids: [code!.replace(/^\n|\n$/g, "")] });
    at = index + all.length;
  }
  return [...out, ...lines(text.slice(at), slack)];
}

/** lines finds lists, quotes and headings; other lines keep their ends. */
function lines(text: string, slack: boolean): Piece[] {
  const out: Piece[] = [];
  let list: Block | undefined;
  let plain = "";
  const flush = () => {
    if (plain) for (const piece of inline(plain, slack)) out.push(piece);
    plain = "";
  };
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) || []) {
    const item = ITEM.exec(line);
    const said = QUOTE.test(line);
    const mark = said ? 1 : (item || HEADING.exec(line))?.[0].length;
    if (!mark) {
      list = undefined;
      plain += line;
      continue;
    }
    flush();
    const words = line.slice(mark);
    const kids = inline(item || said ? words.trim() : words, slack);
    if (said) {
      if (list?.tag !== "blockquote") out.push((list = { tag: "blockquote", kids }));
      else list.kids.push("\n", ...kids);
    } else if (!item) out.push({ tag: "b", kids });
    else {
      const tag = item[1] ? "ol" : "ul";
      if (list?.tag !== tag) out.push((list = { tag, kids: [], start: item[1] }));
      list.kids.push({ tag: "li", kids });
    }
  }
  flush();
  return out;
}

function inline(text: string, slack: boolean): Piece[] {
  const out: Piece[] = [];
  let at = 0;
  const add = (from: number, to: number, piece: Piece) => {
    if (from > at) out.push(text.slice(at, from));
    out.push(piece);
    at = to;
  };
  for (const match of text.matchAll(INLINE)) {
    const { index, 0: all, 1: code, 2: words, 3: target, 4: bare } = match;
    if (index < at) continue; // in what ended later than its match
    const end = index + all.length;
    if (code) add(index, end, { tag: "code", kids: [code] });
    else if (words) {
      const href = address(target!);
      if (href && !addressLike(words)) add(index, end, { tag: "a", href, kids: [words] });
    } else if (bare) {
      const found = withoutTail(bare);
      const href = address(found);
      if (href) add(index, index + found.length, { tag: "a", href, kids: [found] });
    } else {
      const n = match.findIndex((part, i) => i > 4 && part);
      const tag = (["b", "b", slack ? "b" : "i", "i", "s"] as const)[n - 5]!;
      add(index, end, { tag, kids: inline(match[n]!, slack) });
    }
  }
  if (at < text.length) out.push(text.slice(at));
  return out;
}

/** Signs that nobody sees: ignorable ones, marks on letters, spaces as narrow as a gap. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{M}\p{DI}\u2000-\u200a\u202f\u205f\u2800]/gu;
/** Signs that look like a full stop, or end a part of a domain as one does. */
const DOTS = /[。｡․\u0660\u06d4\u06f0\u0701\u0702\ua4f8\ua60e\u{10a50}\u{1d16d}]/gu;
const ADDRESS = /[\p{L}\p{N}\p{S}_-]\.[\p{L}\p{N}\p{S}_-]|:\/\/|https?[^\p{L}\p{N}\s]{2}/iu;

/**
 * addressLike finds words that read as an address: as words of a link they could lie.
 * bridges/marks/link.go holds the same rule, testdata/linkwords.json its cases.
 */
function addressLike(words: string): boolean {
  const folded = words.replace(UNSEEN, "").normalize("NFKC").replace(DOTS, ".");
  return ADDRESS.test(folded.replace(UNSEEN, ""));
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

/** address is undefined for what only begins like one, and for other schemes. */
function address(text: string): string | undefined {
  if (!/^(https?:\/\/|mailto:)/i.test(text)) return undefined;
  try {
    return new URL(text).href;
  } catch {
    return undefined;
  }
}

/** onlyEmoji recognises a few emoji without words, which are shown larger. */
export function onlyEmoji(text: string): boolean {
  return /^(?:[\p{Extended_Pictographic}\p{RI}\p{EMod}\u200d\ufe0f]|[0-9#*]\ufe0f?\u20e3|\s){1,12}$/u.test(text);
}
