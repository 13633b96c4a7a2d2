// The operator's side: writing, what is being edited, and the typing signal.

import { call, sessionPath } from "../net/api";
import { draftKey, draftOf, giveBack, isNoting, setDraft, setNoting } from "../state/drafts";
import { fetchSession } from "../net/load";
import { administrator, me } from "../state/me";
import { enqueue } from "./outbox";
import { attempt, set, state } from "../state/store";
import type { Upload } from "../state/store";
import type { Message, Undelivered } from "../types";
import { tr } from "../ui/texts";

const typingEvery = 3_000;

let typedAt = 0;

export function draft(text: string): void {
  setDraft(draftKey(), text);
  if (!state.editing) signal(text !== "" && !isNoting() && !privately.test(text));
}

// signal shows the visitor that the operator is writing, at most every few seconds.
function signal(active: boolean): void {
  if (active ? Date.now() - typedAt < typingEvery : !typedAt) return;
  typedAt = active ? Date.now() : 0;
  call("POST", sessionPath(state.selected) + "/typing", { active }).catch(() => undefined);
}

// privately is how a text begins that no visitor sees: a command or a note, as soon as it may become one.
const privately = /^\s*[!！/]/;

// mayChange reports whether the operator may edit and delete a message: an own one, or any for administrators.
export function mayChange(m: Message): boolean {
  return isOwn(m) || administrator && m.sender === "operator" && !m.deletedAt && !m.local;
}

export function isOwn(m: Message): boolean {
  const here = !m.sourceBridge || m.sourceBridge === "console";
  return m.sender === "operator" && here && m.operatorName === me && !m.deletedAt && !m.local;
}

// edit starts editing a message, or continues an edit.
export function edit(m: Message | undefined): void {
  if (!m) return;
  set({ editing: m, quote: null });
  if (!draftOf(m.id)) setDraft(m.id, m.content);
}

// editLast begins to edit the operator's newest message.
export function editLast(): void {
  edit([...state.messages].reverse().find((m) => isOwn(m) && m.content));
}

// leave ends editing or quoting and reports whether there was either.
export function leave(): boolean {
  const busy = state.editing || state.quote || state.answer || isNoting();
  if (state.editing) setDraft(state.editing.id, "");
  set({ editing: null, quote: null, answer: "" });
  if (isNoting()) setNoting(state.selected, false);
  return !!busy;
}

export function submit(): void {
  const text = draftOf(draftKey()).trim();
  const { editing } = state;
  if (editing) void changes().then((part) => part?.save(editing, text));
  else post(text);
}

// changes loads the part for what is rarer than writing: edits and commands.
export const changes = (): Promise<typeof import("./change") | undefined> =>
  attempt(import("./change"), tr("Not done"));

export function uploadsOf(sessionId: string): Upload[] {
  return state.uploads.filter((u) => u.sessionId === sessionId);
}

// note turns on or off that the next text is an internal note.
export function note(on = !isNoting()): void {
  set({ editing: null });
  setNoting(state.selected, on);
  if (on) signal(false);
}

// retry sends again what a bridge did not take. What was delivered meanwhile goes by reading the session.
export async function retry(u: Undelivered): Promise<void> {
  const id = state.selected;
  await attempt(call("POST", "/deliveries/" + encodeURIComponent(u.id) + "/retry", {}), tr("Not sent again"));
  void fetchSession(id);
}

// post hands what was written to the outbox, which shows it at once.
function post(text: string): void {
  const { selected, quote } = state;
  const internal = isNoting() || noteMark.test(text);
  const content = internal ? text.replace(noteMark, "") : text;
  set({ answer: "" });
  const files = uploadsOf(selected).filter((u) => !u.failed);
  if (files.some((u) => !u.id)) return set({ failure: tr("A file is still being uploaded") });
  if (!content && !files.length) return;
  if (!internal && command.test(content)) return void runCommand(selected, content, quote);
  const attachments = files.map((u) => ({ id: u.id as string, filename: u.name, mimeType: "", size: u.size, url: "" }));
  typedAt = 0;
  set({ uploads: state.uploads.filter((u) => u.sessionId !== selected), quote: null });
  setNoting(selected, false);
  setDraft(selected, "");
  enqueue({ sessionId: selected, content, attachments, ...(me && { operatorName: me }), ...(internal && { internal }),
    ...(quote && { replyTo: quote.id }) });
}

// noteMark begins an internal note, command a command: no visitor ever sees them.
const noteMark = /^\s*\/\/\s*/;
const command = /^\s*([!！]\p{L}|\/\p{L}[^\s/]*(\s|$))/u;

// runCommand sends a command to relay. What could not be sent comes back into the field.
async function runCommand(sessionId: string, content: string, quote: Message | null): Promise<void> {
  setDraft(sessionId, "");
  const done = await (await changes())?.runCommand(sessionId, content, quote);
  if (!done) giveBack(sessionId, content);
}
