// Search over what was said: the messages below the conversations that match.

import { call } from "../net/api";
import { byId, h, on, setText } from "../ui/dom";
import { agoTime, inOneLine, visitorName } from "../ui/format";
import { focusRow, listed, rowOf } from "../inbox/list";
import { state } from "../state/store";
import type { Message, Session } from "../types";
import { plural } from "../ui/sentences";
import { tr } from "../ui/texts";

interface Hit extends Pick<Message, "id" | "sessionId" | "sender" | "operatorName" | "internal" | "timestamp"> {
  excerpt: { text: string; match?: boolean }[];
}

interface Answer {
  messages: Hit[];
  sessions: Session[];
  nextCursor?: string;
  indexed: { done: number; total: number };
}

let asked = "";
let ticket = 0;
let cursor = "";

// A single letter is the beginning of too much, unless it is a word.
const isEnough = (query: string): boolean => query.length > 1 || /[^\0-\x7f]/.test(query);

// find shows the messages that have the words of a query; "" hides them.
export function find(query: string): void {
  asked = query;
  ticket++;
  byId("hits").hidden = !isEnough(query);
  byId("hit-rows").replaceChildren();
  say("");
  if (isEnough(query)) void load("");
}

function say(text: string, retry = false, more = false): void {
  setText("hits-note", text);
  byId("hits-retry").hidden = !retry;
  byId("hits-more").hidden = !more;
}

async function load(from: string): Promise<void> {
  const mine = ++ticket;
  const params = new URLSearchParams({ q: asked, cursor: from, site: state.site });
  if (!from) {
    say(tr("Searching…"));
    params.delete("cursor");
  }
  try {
    const answer = await call<Answer>("GET", "/search?" + params);
    if (mine === ticket) put(answer);
  } catch (error) {
    cursor = from;
    if (mine === ticket) say(tr("Messages could not be searched: {message}.", { message: (error as Error).message }), true);
  }
}

// put adds a page. The first new row gets the focus if that was on the button.
function put(answer: Answer): void {
  const names = new Map(answer.sessions.map((s) => [s.id, s]));
  const rows = answer.messages.map((hit) => row(hit, names.get(hit.sessionId)));
  const list = byId("hit-rows");
  const focused = document.activeElement === byId("hits-more");
  list.append(...rows);
  cursor = answer.nextCursor ?? "";
  say(counted(list.children.length, !!cursor, answer.indexed), false, !!cursor);
  if (focused) rows[0]?.querySelector("a")?.focus();
}

function counted(n: number, more: boolean, { done, total }: Answer["indexed"]): string {
  const all = plural(n, "{n} message.", "{n} messages.");
  const count = n === 0 ? tr("No message has these words.") : more ? tr("The newest {n} messages.", { n }) : all;
  return done < total ? tr("{count} Older conversations are still being indexed ({floor} %).",
    { count, floor: Math.floor((100 * done) / total) }) : count;
}

// marked is an excerpt without the marks of its markup. Two private characters keep
// the places of the matches meanwhile.
function marked(excerpt: Hit["excerpt"]): (Node | string)[] {
  const clean = excerpt.map(({ text, match }) => ({ text: text.replace(/[\ue000\ue001]/g, ""), match }));
  const text = clean.map((p) => (p.match ? "\ue000" + p.text + "\ue001" : p.text)).join("");
  return inOneLine(text).split(/[\ue000\ue001]/).map((part, i) => (i % 2 ? h("mark", {}, part) : part));
}

function row(hit: Hit, session: Session | undefined): HTMLElement {
  const by = hit.sender === "operator" ? (hit.operatorName || tr("Operator")) : hit.sender === "ai" ? "AI" : "";
  const from = hit.internal ? (by ? tr("Note by {name}", { name: by }) : tr("Note")) + ": " : by && by + ": ";
  return h("li", {}, h("a", { class: "hit", href: "#/sessions/" + encodeURIComponent(hit.sessionId) + "/" + encodeURIComponent(hit.id) },
    h("span", { class: "row-top" }, h("b", { dir: "auto" }, session ? visitorName(session) : tr("Visitor")),
      session?.status === "closed" && h("span", { class: "tag" }, tr("Closed")), agoTime(hit.timestamp)),
    h("span", { class: "hit-text", dir: "auto" }, from && h("span", { class: hit.internal ? "hit-note" : "" }, from),
      ...marked(hit.excerpt))));
}

function mark(): void {
  for (const link of byId("hit-rows").querySelectorAll("a")) {
    link.setAttribute("aria-current", String(link.getAttribute("href") === location.hash));
  }
}

// step moves the focus from the field to the first result, and from result to result.
function step(e: KeyboardEvent): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[e.key];
  if (!by || !state.query || e.ctrlKey || e.metaKey || e.altKey || e.shiftKey || e.isComposing) return;
  const field = byId("search");
  const found = listed(state);
  const hits = [...byId("hit-rows").querySelectorAll("a")];
  const row = rowOf(e.target as Element);
  const hit = hits.indexOf(e.target as HTMLAnchorElement);
  const at = e.target === field ? -1 : row ? found.indexOf(row) : hit < 0 ? NaN : found.length + hit;
  const next = at + by;
  if (!(next >= -1 && next < found.length + hits.length)) return;
  e.preventDefault();
  e.stopPropagation(); // outside of a search the arrows select conversations
  if (next < 0) field.focus();
  else if (found[next]) focusRow(found[next]);
  else hits[next - found.length]?.focus();
  if (next >= 0) document.activeElement?.scrollIntoView({ block: "nearest" });
}

on("hits-more", "click", () => load(cursor));
on("hits-retry", "click", () => load(cursor));
byId("search").closest(".list")?.addEventListener("keydown", (e) => step(e as KeyboardEvent));
addEventListener("hashchange", mark);
