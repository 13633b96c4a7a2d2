// log.ts is the message log. Of a long conversation only the rows near what is
// looked at are in the page; they change as it scrolls, and nothing seems to move.

import type { Actions } from "./bubble";
import { h, iconButton, set } from "../ui/dom";
import { itemsOf } from "./items";
import { reconcile, type Rows } from "./rows";
import { fill, named, t } from "../text/strings";
import type { Core, State } from "../types";

/** Rows are added this many in a frame, this close to an end, up to MOST. */
const STEP = 12;
const EDGE = 600;
const MOST = 100;

export interface Log {
  node: HTMLElement;
  scroller: HTMLElement;
  update(state: State): void;
  /** Puts a card at the end of the log. */
  append(card: HTMLElement): void;
  toEnd(): void;
  /** Shows a message, also one that has to be loaded first. */
  jump(id: string): Promise<void>;
}

/** createLog draws state into a scrolling log. */
export function createLog(core: Core, act: Actions, apiUrl: string): Log {
  const { store } = core;
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
  const rows: Rows = new Map();
  // In the page are the messages from..to, the pending ones counted behind the others.
  let from = 0;
  let to = 0;
  let first: string | undefined;
  let atEnd = true;
  let bottom = 0;
  let loading = false;
  let silence = 0;
  let known = 0;

  const count = () => store.state.messages.length + store.state.pending.length;
  const below = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
  const toEnd = () => {
    atEnd = jump.hidden = true;
    if (to < count()) {
      first = undefined;
      draw();
    }
    scroller.scrollTop = scroller.scrollHeight;
    bottom = scroller.scrollTop;
  };
  const onscroll = () => {
    // A reader at the end stays there when a picture has grown below.
    atEnd = to >= known && (below() < 60 || (atEnd && scroller.scrollTop >= bottom));
    jump.hidden = atEnd;
    const high = scroller.scrollTop < EDGE;
    if (high && from) show(from - STEP, Math.min(to, from - STEP + MOST));
    else if (high && store.state.hasMore && !loading) loadOlder();
    else if (below() < EDGE && to < count()) show(to + STEP - MOST, to + STEP, from);
  };
  const show = (start: number, end: number, least = 0) => {
    quiet();
    from = Math.max(least, start);
    to = Math.min(end, count());
    first = store.state.messages[from]?.id;
    draw();
  };
  /** quiet: rows that scrolling adds are not announced to screen readers. */
  const quiet = () => {
    set(scroller, "aria-live", "off");
    clearTimeout(silence);
    silence = window.setTimeout(() => loading || set(scroller, "aria-live", null), 300);
  };
  const loadOlder = () => {
    loading = true;
    const end = () => {
      loading = false;
      quiet();
      requestAnimationFrame(onscroll); // behind the panel's drawing
    };
    core.older().then(end, () => setTimeout(end, 5_000));
    quiet();
  };
  /** follow finds the shown messages again after others came before or behind them. */
  const follow = ({ messages }: State) => {
    const at = messages.findIndex((m) => m.id === first);
    if (at < 0 || atEnd) {
      from = at < 0 ? count() - STEP : Math.max(at, count() - MOST);
      to = count();
    } else {
      to = to < known ? to + at - from : Math.min(count(), at + MOST);
      from = at;
    }
    from = Math.max(0, from);
    first = messages[from]?.id;
    known = count();
  };
  /** draw leaves the row that is looked at where it is, or the end at the end. */
  const draw = () => {
    const { state } = store;
    const root = list.getRootNode() as ShadowRoot;
    const focused = list.contains(root.activeElement);
    const bottomOf = (node: Element) => node.getBoundingClientRect().bottom;
    const edge = atEnd ? 0 : scroller.getBoundingClientRect().top;
    const seen = atEnd ? undefined : [...list.children].find((node) => bottomOf(node) > edge);
    const was = seen && bottomOf(seen);
    const key = seen && [...rows].find(([, { node }]) => node === seen)![0];
    follow(state);
    reconcile(list, rows, itemsOf(state, from, to, act, apiUrl));
    act.drawn();
    if (focused && !root.activeElement) scroller.focus({ preventScroll: true });
    const now = key && rows.get(key);
    if (atEnd) toEnd();
    else if (now) scroller.scrollTop += bottomOf(now.node) - was!;
  };
  const rowOf = (id: string) => list.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`);
  scroller.addEventListener("scroll", onscroll, { passive: true });
  scroller.addEventListener("keydown", (e) => onKey(e, act));
  // A log that shrinks, for the keyboard or a card, keeps its end in sight.
  const sizes = new ResizeObserver(() => {
    if (atEnd) toEnd();
    if (scroller.clientHeight) requestAnimationFrame(onscroll);
  });
  sizes.observe(scroller);
  sizes.observe(list);

  return {
    node: h("div", { class: "logbox" }, scroller, jump),
    scroller,
    append(card) {
      scroller.append(card);
      sizes.observe(card);
    },
    toEnd,
    async jump(id) {
      const find = () => store.state.messages.findIndex((m) => m.id === id);
      while (store.state.hasMore && find() < 0) {
        const oldest = store.state.messages[0];
        await core.older(100);
        if (store.state.messages[0] === oldest) return;
      }
      const at = find();
      if (at >= 0 && !rowOf(id)) {
        atEnd = false;
        show(at - STEP, at + STEP);
      }
      rowOf(id)?.scrollIntoView({ block: "center" });
      rowOf(id)?.focus({ focusVisible: true } as FocusOptions);
    },
    update(state) {
      typing.hidden = state.typing === null;
      const name = state.typing || named(state);
      typing.firstChild!.textContent = state.typing === null ? "" : fill(t.typing, { name });
      draw();
    },
  };
}

/** onKey walks the messages with the arrows; other keys act on one. */
function onKey(e: KeyboardEvent, act: Actions): void {
  const row = (e.target as HTMLElement).closest<HTMLElement>(".row");
  const scroller = e.currentTarget as HTMLElement;
  if (!row && e.target !== scroller) return; // a card has its own keys
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
  if (e.ctrlKey || e.metaKey || e.altKey || !/^(r|Enter|Delete)$/.test(e.key)) return;
  e.preventDefault();
  act.key(id, e.key);
}

