// Commands to relay, typed or by a button.

import { call, sessionPath } from "../net/api";
import { attempt, state } from "../state/store";
import { tr } from "../ui/texts";

// announces tells the answer that announces a note of the AI, which may come first.
const announces = (answer: string): boolean => /^The AI is (writing|reading)/.test(answer);

const newestNote = (): string | undefined => state.messages.findLast((m) => m.internal && m.sender === "ai")?.id;

// tell sends a command and returns relay's answer: undefined if that failed, empty if what it announces is there.
export async function tell(sessionId: string, command: string, replyTo?: string): Promise<string | undefined> {
  const before = newestNote();
  const said = await attempt(call<{ answer: string }>("POST", sessionPath(sessionId) + "/commands", { command, replyTo }), tr("Not done"));
  return said && announces(said.answer) && newestNote() !== before ? "" : said?.answer;
}

// fulfilled is the answer that stays when a note of the AI comes.
export const fulfilled = (): string => (announces(state.answer) ? "" : state.answer);
