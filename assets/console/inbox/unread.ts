// Marking a conversation as unread, for the whole team.

import { call, sessionPath } from "../net/api";
import { receive } from "../net/receive";
import { attempt, state } from "../state/store";
import { tr } from "../ui/texts";

// markUnread leaves the conversation before: what is open is read.
export async function markUnread(id: string): Promise<void> {
  if (id === state.selected) location.hash = "#/";
  if (!(await attempt(call("POST", sessionPath(id) + "/unread"), tr("Not marked as unread")))) return;
  receive({ type: "session_unread", sessionId: id, unread: Math.max(state.sessions.get(id)?.unread ?? 0, 1) });
}
