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
  /** Puts a message into the page, by its place among all. */
  reveal(at: number): void;
}

/** createStretch knows which messages are in the page: from..to, the pending ones counted behind the others. */
function createStretch({ store }: Core) {
  let from = 0;
  let to = 0;
  let first: string | undefined;
  let known = 0;
  const count = () => store.state.messages.length + store.state.pending.length;
  const move = (start: number, end: number, least = 0) => {
    from = Math.max(least, start);
    to = Math.min(end, count());
    first = store.state.messages[from]?.id;
    return true;
  };
  return {
    move,
    up: () => from > 0 && move(from - STEP, Math.min(to, from - STEP + MOST)),
    down: () => to < count() && move(to + STEP - MOST, to + STEP, from),
    /** forget reports whether messages at the end are not in the page: the next follow goes there. */
    forget: () => to < count() && !(first = undefined),
    isWhole: () => to >= known,
    /** follow finds the shown messages again after others came before or behind them. */
    follow(atEnd: boolean): [number, number] {
      const { messages } = store.state;
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
      return [from, to];
    },
  };
}

/** placeOf gives what brings the row that is looked at back to where it is now. */
function placeOf(scroller: HTMLElement, list: HTMLElement, rows: Rows): () => void {
  const bottomOf = (node: Element) => node.getBoundingClientRect().bottom;
  const edge = scroller.getBoundingClientRect().top;
  const seen = [...list.children].find((node) => bottomOf(node) > edge);
  const was = seen && bottomOf(seen);
  const key = seen && [...rows].find(([, { node }]) => node === seen)![0];
  return () => {
    const now = key && rows.get(key);
    if (now) scroller.scrollTop += bottomOf(now.node) - was!;
  };
}

/** createOlder loads what was said before. Rows that scrolling adds are not announced to screen readers. */
function createOlder(core: Core, scroller: HTMLElement, onloaded: () => void) {
  let silence = 0;
  const older = {
    loading: false,
    quiet() {
      set(scroller, "aria-live", "off");
      clearTimeout(silence);
      silence = window.setTimeout(() => older.loading || set(scroller, "aria-live", null), 300);
    },
    load() {
      older.loading = true;
      const end = () => {
        older.loading = false;
        older.quiet();
        requestAnimationFrame(onloaded); // behind the panel's drawing
      };
      core.older().then(end, () => setTimeout(end, 5_000));
      older.quiet();
    },
  };
  return older;
}

/** createTyping is three dots, with words for screen readers. */
function createTyping() {
  const words = h("span", { class: "sr" });
  const dots = h("div", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i"));
  const node = h("div", { class: "bubble typing" }, words, dots);
  return {
    node,
    update(state: State) {
      node.hidden = state.typing === null;
      words.textContent = node.hidden ? "" : fill(t.typing, { name: state.typing || named(state) });
    },
  };
}

/** watchSizes: a log that shrinks, for the keyboard or a card, keeps its end in sight. */
function watchSizes(scroller: HTMLElement, list: HTMLElement, settle: () => void, onscroll: () => void): ResizeObserver {
  const sizes = new ResizeObserver(() => {
    settle();
    if (scroller.clientHeight) requestAnimationFrame(onscroll);
  });
  sizes.observe(scroller);
  sizes.observe(list);
  return sizes;
}

/** createLog draws state into a scrolling log. */
export function createLog(core: Core, act: Actions, apiUrl: string): Log {
  const list = h("div", { class: "list" });
  const typing = createTyping();
  const scroller = h("div", { class: "log", part: "log", role: "log", "aria-label": t.messages, tabindex: 0 }, list, typing.node);
  const jump = iconButton(t.newest, "M12 5v14m-6-6 6 6 6-6", () => toEnd(), "jump");
  const rows: Rows = new Map();
  const stretch = createStretch(core);
  let atEnd = true;
  let bottom = 0;
  const below = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
  const toEnd = () => {
    atEnd = jump.hidden = true;
    if (stretch.forget()) draw();
    scroller.scrollTop = scroller.scrollHeight;
    bottom = scroller.scrollTop;
  };
  const onscroll = () => {
    // A reader at the end stays there when a picture has grown below.
    atEnd = stretch.isWhole() && (below() < 60 || (atEnd && scroller.scrollTop >= bottom));
    jump.hidden = atEnd;
    const high = scroller.scrollTop < EDGE;
    if (high && stretch.up()) more();
    else if (high && core.store.state.hasMore && !older.loading) older.load();
    else if (below() < EDGE && stretch.down()) more();
  };
  const older = createOlder(core, scroller, onscroll);
  const more = () => (older.quiet(), draw());
  /** draw leaves the row that is looked at where it is, or the end at the end. */
  const draw = () => {
    const root = list.getRootNode() as ShadowRoot;
    const focused = list.contains(root.activeElement);
    const keep = atEnd ? toEnd : placeOf(scroller, list, rows);
    reconcile(list, rows, itemsOf(core.store.state, ...stretch.follow(atEnd), act, apiUrl));
    act.drawn();
    if (focused && !root.activeElement) scroller.focus({ preventScroll: true });
    keep();
  };
  scroller.addEventListener("scroll", onscroll, { passive: true });
  scroller.addEventListener("keydown", (e) => onKey(e, act));
  const sizes = watchSizes(scroller, list, () => atEnd && toEnd(), onscroll);
  return {
    node: h("div", { class: "logbox" }, scroller, jump),
    scroller,
    append(card) {
      scroller.append(card);
      sizes.observe(card);
    },
    toEnd,
    reveal(at) {
      atEnd = false;
      stretch.move(at - STEP, at + STEP);
      more();
    },
    update(state) {
      typing.update(state);
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

