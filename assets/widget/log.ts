// log.ts is the message log: it keeps one node per message, day line and
// notice, replaces only what changed, and minds the scroll position.

import { bubble, pendingView, quoteOf, viewOf, type Actions, type View } from "./bubble";
import { h, iconButton, set } from "./dom";
import * as t from "./strings";
import { dayOf } from "./time";
import type { Core, Entry, State } from "./types";

/** Messages of one sender this close together form a group. */
const GROUP = 5 * 60_000;

interface Item {
  key: string;
  sign: string;
  draw(): HTMLElement;
}

export interface Log {
  node: HTMLElement;
  update(state: State, asking: string | null): void;
  /** Puts a card at the end of the log. */
  append(card: HTMLElement): void;
  toEnd(): void;
  /** Shows a message, also one that has to be loaded first. */
  jump(id: string): Promise<void>;
}

/** createLog draws state into a scrolling log. */
export function createLog(core: Core, act: Actions, apiUrl: string): Log {
  const list = h("div", { class: "list" });
  const dots = h("div", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i"));
  const typing = h("div", { class: "bubble typing", hidden: true }, h("span", { class: "sr" }), dots);
  const scroller = h(
    "div",
    { class: "log", part: "log", role: "log", "aria-label": t.messages, tabindex: 0 },
    list,
    typing,
  );
  const jump = iconButton(t.newest, "M12 5v14m-6-6 6 6 6-6", () => toEnd(), "jump");
  const nodes = new Map<string, { sign: string; node: HTMLElement }>();
  let atEnd = true;
  let bottom = 0;
  let loading = false;
  let top: string | undefined;

  const toEnd = () => {
    scroller.scrollTop = scroller.scrollHeight;
    bottom = scroller.scrollTop;
    atEnd = jump.hidden = true;
  };
  const onscroll = () => {
    const below = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
    // A reader at the end stays there when a picture has grown below.
    atEnd = below < 60 || (atEnd && scroller.scrollTop === bottom);
    jump.hidden = atEnd;
    if (scroller.scrollTop < 80 && core.store.state.hasMore && !loading) loadOlder();
  };
  const loadOlder = () => {
    loading = true;
    // Old messages that come in at the top are no news to be read out.
    set(scroller, "aria-live", "off");
    const end = () => {
      loading = false;
      set(scroller, "aria-live", null);
    };
    core.older().then(
      () => setTimeout(end, 300),
      () => setTimeout(end, 5_000),
    );
  };
  scroller.addEventListener("scroll", onscroll, { passive: true });
  scroller.addEventListener("keydown", (e) => onKey(e, act));
  // A log that shrinks, for the keyboard or a card, keeps its end in sight.
  const sizes = new ResizeObserver(() => atEnd && toEnd());
  sizes.observe(scroller);
  sizes.observe(list);

  return {
    node: h("div", { class: "logbox" }, scroller, jump),
    append(card) {
      scroller.append(card);
      sizes.observe(card);
    },
    toEnd,
    async jump(id) {
      const { store } = core;
      while (store.state.hasMore && !store.state.messages.some((m) => m.id === id)) {
        const first = store.state.messages[0];
        await core.older();
        if (store.state.messages[0] === first) return;
      }
      // The panel draws once per frame, in the order of the requests.
      await new Promise(requestAnimationFrame);
      const row = list.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`);
      row?.scrollIntoView({ block: "center" });
      row?.focus({ focusVisible: true } as FocusOptions);
    },
    update(state, asking) {
      const fromEnd = scroller.scrollHeight - scroller.scrollTop;
      const wasEnd = atEnd;
      reconcile(list, nodes, itemsOf(state, asking, act, apiUrl));
      typing.hidden = state.typing === null;
      const who = state.typing || state.config.operatorName || t.operator;
      typing.firstChild!.textContent = state.typing === null ? "" : `${who} ${t.typing}`;
      if (wasEnd) toEnd();
      else if (top !== state.messages[0]?.id) scroller.scrollTop = scroller.scrollHeight - fromEnd;
      top = state.messages[0]?.id;
    },
  };
}

/** onKey walks the messages with the arrows; r answers one, Enter edits and Delete removes an own one. */
function onKey(e: KeyboardEvent, act: Actions): void {
  const row = (e.target as HTMLElement).closest<HTMLElement>(".row");
  const scroller = e.currentTarget as HTMLElement;
  if (e.key === "ArrowUp" || e.key === "ArrowDown") {
    const rows = [...scroller.querySelectorAll<HTMLElement>(".row")];
    const at = row ? rows.indexOf(row) : rows.length;
    const next = rows[at + (e.key === "ArrowUp" ? -1 : 1)];
    if (!next) return;
    e.preventDefault();
    next.focus();
    return;
  }
  const id = row === e.target && row?.dataset.id;
  if (!id) return;
  const own = row.classList.contains("own");
  if (row.classList.contains("deleted") || e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.key === "Delete" && own) act.ask(id);
  if (e.key !== "r" && e.key !== "Enter") return;
  e.preventDefault();
  if (e.key === "Enter" && own) act.edit(id);
  else act.reply(id);
}

/** reconcile makes the list's children those items, touching no others. */
function reconcile(
  list: HTMLElement,
  held: Map<string, { sign: string; node: HTMLElement }>,
  items: Item[],
): void {
  const wanted = new Set(items.map((i) => i.key));
  for (const [key, { node }] of held) {
    if (wanted.has(key)) continue;
    node.remove();
    held.delete(key);
  }
  let place = list.firstChild;
  for (const item of items) {
    const old = held.get(item.key);
    let node = old?.node;
    if (old?.sign !== item.sign) {
      node = item.draw();
      if (old) {
        if (place === old.node) place = node;
        keepFocus(old.node, node);
      }
      held.set(item.key, { sign: item.sign, node });
    }
    if (place === node) place = node!.nextSibling;
    else list.insertBefore(node!, place);
  }
}

/** keepFocus swaps a node; focus inside goes to its successor. */
function keepFocus(old: HTMLElement, node: HTMLElement): void {
  const root = old.getRootNode() as ShadowRoot;
  const inside = old.contains(root.activeElement);
  old.replaceWith(node);
  if (inside) (node.querySelector<HTMLElement>(".meta button") || node).focus();
}

/** itemsOf lists everything the log shows, in order. */
function itemsOf(state: State, asking: string | null, act: Actions, apiUrl: string): Item[] {
  const { config, greeting } = state;
  const name = config.operatorName || t.operator;
  const { messages, pending } = state;
  const quoting = [...messages, ...pending];
  const views = [...messages.map((m) => viewOf(m, name)), ...pending.map(pendingView)];
  views.forEach((v, i) => (v.quote = quoteOf(quoting[i]!.replyTo, messages, name)));
  const welcome = state.ready && !state.hasMore;
  if (welcome && config.welcomeMessage) views.unshift(said("welcome", config.welcomeMessage, name, ""));
  if (greeting) {
    const at = views.findIndex((v) => v.id === greeting.after);
    views.splice(at < 0 ? +!!welcome : at + 1, 0, said("greeting", greeting.text, name, greeting.at));
  }
  const answer = views.findLast((v) => !v.own);
  if (answer?.ai) answer.person = state.ai;
  const items: Item[] = [];
  // That the chat is closed now stands at its end.
  const now = state.closed ? state.timeline.findLast((e) => e.type === "session_closed") : undefined;
  const marks = (id: string) =>
    state.timeline.forEach((e) => e.after === id && e !== now && items.push(line(e.type + e.at, words(e), "note")));
  if (!state.hasMore) marks("");
  const days = new Set<string>();
  views.forEach((v, i) => {
    const today = v.at && dayOf(v.at);
    if (today && !days.has(today)) items.push(line("day:" + today, today, "day"));
    days.add(today);
    v.last = !together(v, views[i + 1]);
    v.asking = !!v.id && v.id === asking;
    items.push({ key: v.key, sign: JSON.stringify(v), draw: () => bubble(v, act, apiUrl) });
    if (v.id) marks(v.id);
  });
  if (!state.operatorOnline && !state.ai && welcome && config.offlineMessage && !state.closed) {
    items.push(line("offline", config.offlineMessage, "note"));
  }
  if (state.closed) items.push(line("closed", t.closed, "note"));
  return items;
}

function together(v: View, next?: View): boolean {
  if (!next || next.own !== v.own || next.name !== v.name) return false;
  return Date.parse(next.at) - Date.parse(v.at) < GROUP;
}

/** words tell an entry of the timeline. */
function words({ type, data }: Entry): string {
  if (type === "csat_submitted") return `${t.rated} ${data.score}/5`;
  return type === "session_closed" ? t.wasClosed : t.wasReopened;
}

/** said is a text that the widget shows in the operator's place. */
function said(id: string, content: string, operatorName: string, timestamp: string): View {
  const sender = "operator" as const;
  const message = { id, sessionId: "", content, sender, operatorName, timestamp, attachments: [] };
  return { ...viewOf(message, operatorName), id: "" };
}

function line(key: string, text: string, kind: string): Item {
  return { key, sign: text, draw: () => h("p", { class: kind, dir: "auto" }, h("span", null, text)) };
}
