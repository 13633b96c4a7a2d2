// Edits, deletions and commands of the composer. Loaded with the first of them.

import { call, sessionPath } from "../net/api";
import { ask } from "../ui/ask";
import { tell } from "./command";
import { draftOf, setDraft } from "../state/drafts";
import { receive } from "../net/receive";
import { leave } from "./write";
import { attempt, set, state } from "../state/store";
import type { Message } from "../types";
import { tr } from "../ui/texts";

function messagePath(m: Message): string {
  return sessionPath(m.sessionId) + "/messages/" + m.id;
}

// put goes the way of an event, so that list and thread agree.
function put(m: Message, type: string): void {
  receive({ ...m, type });
}

// save ends editing once the change is stored, unless more was typed meanwhile.
export async function save(m: Message, content: string): Promise<void> {
  if (!content || state.saving) return;
  if (content === m.content) return void leave();
  set({ saving: m });
  const saved = await attempt(call<Message>("PATCH", messagePath(m), { content }), tr("Not saved"));
  set({ saving: null });
  if (!saved) return;
  put(saved, saved.internal ? "note_edited" : "message_edited");
  const done = draftOf(m.id).trim() === content;
  if (done) setDraft(m.id, "");
  if (state.editing === m) set({ editing: done ? null : saved });
}

export async function remove(m: Message): Promise<void> {
  const question = m.internal ? tr("Delete this note?") : tr("Delete this message? It disappears for the visitor too.");
  if (!(await ask(question, tr("Delete")))) return;
  if (!(await attempt(call("DELETE", messagePath(m)), tr("Not deleted")))) return;
  put({ ...m, content: "", attachments: [], deletedAt: new Date().toISOString() }, m.internal ? "note_deleted" : "message_deleted");
  if (state.editing?.id === m.id) leave();
}

// runCommand sends a command to relay, shows its answer and reports whether it was sent.
export async function runCommand(sessionId: string, content: string, quote: Message | null): Promise<boolean> {
  const answer = await tell(sessionId, content, quote?.id);
  if (answer !== undefined) set({ answer, quote: state.quote === quote ? null : state.quote });
  return answer !== undefined;
}
