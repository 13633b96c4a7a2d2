// The keys and clicks that act on rows of the list: marking as unread, and selecting several. Loaded with the first of
// them.

import { focusRow, listed, rowOf } from "./list";
import { changeAll, wireBulk } from "./bulk";
import { markUnread } from "./unread";
import { changed, set, state, subscribe } from "../state/store";
import type { View } from "../state/store";
import { tr } from "../ui/texts";

// A range goes from the row that was selected last to another one, beside what was selected before.
let anchor = "";
let base: readonly string[] = [];

function pick(ids: readonly string[]): void {
  set({ picked: ids.length ? ids : null });
}

function toggle(id: string): void {
  const now = state.picked ?? [];
  anchor = id;
  base = now.includes(id) ? now.filter((other) => other !== id) : [...now, id];
  pick(base);
}

function extend(id: string): void {
  const list = listed(state);
  const [from, to] = [list.indexOf(anchor), list.indexOf(id)].sort((a, b) => a - b) as [number, number];
  if (from < 0 || !state.picked?.includes(anchor)) return toggle(id);
  pick([...new Set([...base, ...list.slice(from, to + 1)])]);
}

// rowClick selects a row, or with shift all from the last one to it.
export function rowClick(id: string, range: boolean): void {
  if (range) extend(id);
  else toggle(id);
  focusRow(id);
}

// rowKey handles u, x, and e while several are selected; j and k are the arrow keys with shift.
export function rowKey(key: string): void {
  const id = rowOf(document.activeElement) || state.selected;
  if (key === "e") return void changeAll(tr("Closing"), { status: "closed" });
  if (key === "u") return void (state.picked?.length ? changeAll(tr("Marking"), { unread: true }) : id && markUnread(id));
  if (!id) return;
  if (key === "x") return toggle(id);
  const list = listed(state);
  const next = list[list.indexOf(id) + (key === "j" ? 1 : -1)];
  if (!state.picked?.includes(id)) toggle(id);
  if (!next) return;
  extend(next);
  focusRow(next);
}

// view forgets what is selected when another list is shown, and conversations that are gone.
const view: View = (now, before) => {
  if (!now.picked) return;
  if (changed(now, before, "filter", "query", "whose", "tag", "site", "page")) return set({ picked: null });
  const there = now.picked.filter((id) => now.sessions.get(id));
  if (there.length < now.picked.length) pick(there);
};

subscribe(view);
wireBulk();
