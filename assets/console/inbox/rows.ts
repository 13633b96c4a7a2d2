// The keys that act on a row of the list, or on the open conversation. Loaded with the first of them.

import { rowOf } from "./list";
import { markUnread } from "./unread";
import { state } from "../state/store";

// rowKey handles a key.
export function rowKey(key: string): void {
  const id = rowOf(document.activeElement) || state.selected;
  if (key === "u" && id) void markUnread(id);
}
