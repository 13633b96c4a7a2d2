// The operator's side: drafts, sending, editing, deleting, files and the typing signal.

import { call, sessionPath, upload } from "./api";
import { draftKey, draftOf, giveBack, setDraft } from "./drafts";
import { fetchSession } from "./load";
import { me } from "./me";
import { receive } from "./receive";
import { attempt, set, state } from "./store";
import type { Upload } from "./store";
import type { Message, Undelivered } from "./types";

const typingEvery = 3_000;

// A message carries at most this many files.
const mostFiles = 10;

// unconfirmed is the newest message that may or may not have been sent.
let unconfirmed: Message | null = null;

let serial = 0;
let typedAt = 0;

export function draft(text: string): void {
  setDraft(draftKey(), text);
  if (!state.editing) signal(text !== "" && !state.noting && !privately.test(text));
}

// signal shows the visitor that the operator is writing, at most every few seconds.
function signal(active: boolean): void {
  if (active ? Date.now() - typedAt < typingEvery : !typedAt) return;
  typedAt = active ? Date.now() : 0;
  call("POST", sessionPath(state.selected) + "/typing", { active }).catch(() => undefined);
}

// privately is how a text begins that no visitor sees: a command or a note, as soon as it may become one.
const privately = /^\s*[!！/]/;

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
  const busy = state.editing || state.quote || state.answer || state.noting;
  if (state.editing) setDraft(state.editing.id, "");
  set({ editing: null, quote: null, answer: "", noting: false });
  return !!busy;
}

export function submit(): void {
  const text = draftOf(draftKey()).trim();
  if (state.editing) void save(state.editing, text);
  else post(text);
}

function messagePath(m: Message): string {
  return sessionPath(m.sessionId) + "/messages/" + m.id;
}

// put goes the way of an event, so that list and thread agree.
function put(m: Message, type: string): void {
  receive({ ...m, type });
}

// save ends editing once the change is stored, unless more was typed meanwhile.
async function save(m: Message, content: string): Promise<void> {
  if (!content || state.saving) return;
  if (content === m.content) return void leave();
  set({ saving: m });
  const saved = await attempt(call<Message>("PATCH", messagePath(m), { content }), "Not saved");
  set({ saving: null });
  if (!saved) return;
  put(saved, saved.internal ? "note_edited" : "message_edited");
  const done = draftOf(m.id).trim() === content;
  if (done) setDraft(m.id, "");
  if (state.editing === m) set({ editing: done ? null : saved });
}

export async function remove(m: Message): Promise<void> {
  if (!(await attempt(call("DELETE", messagePath(m)), "Not deleted"))) return;
  put({ ...m, content: "", attachments: [], deletedAt: new Date().toISOString() }, m.internal ? "note_deleted" : "message_deleted");
  if (state.editing?.id === m.id) leave();
}

export function uploadsOf(sessionId: string): Upload[] {
  return state.uploads.filter((u) => u.sessionId === sessionId);
}

// note turns on or off that the next text is an internal note.
export function note(on = !state.noting): void {
  set({ noting: on, editing: null });
  if (on) signal(false);
}

// retry sends again what a bridge did not take. What was delivered meanwhile goes by reading the session.
export async function retry(u: Undelivered): Promise<void> {
  const id = state.selected;
  await attempt(call("POST", "/deliveries/" + encodeURIComponent(u.id) + "/retry", {}), "Not sent again");
  void fetchSession(id);
}

// post shows the message at once and sends it.
function post(text: string): void {
  const { selected, quote } = state;
  const internal = state.noting || noteMark.test(text);
  const content = internal ? text.replace(noteMark, "") : text;
  set({ answer: "" });
  const files = uploadsOf(selected).filter((u) => !u.failed);
  if (files.some((u) => !u.id)) return set({ failure: "A file is still being uploaded" });
  if (!content && !files.length) return;
  if (!internal && command.test(content)) return void runCommand(selected, content, quote);
  const local: Message = {
    id: "local-" + ++serial, sessionId: selected, content, sender: "operator", local: true, timestamp: new Date().toISOString(),
    attachments: files.map((u) => ({ id: u.id as string, filename: u.name, mimeType: "", size: u.size, url: "" })),
  };
  if (me) local.operatorName = me;
  if (internal) local.internal = true;
  if (quote) local.replyTo = quote.id;
  local.clientId = clientIdOf(local);
  typedAt = 0;
  set({ messages: [...state.messages, local], uploads: state.uploads.filter((u) => u.sessionId !== selected), quote: null, noting: false });
  setDraft(selected, "");
  void deliver(local, files, quote);
}

// noteMark begins an internal note, command a command: no visitor ever sees them.
const noteMark = /^\s*\/\/\s*/;
const command = /^\s*([!！]\p{L}|\/\p{L}[^\s/]*(\s|$))/u;

// runCommand sends a command to relay and shows its answer.
async function runCommand(sessionId: string, content: string, quote: Message | null): Promise<void> {
  setDraft(sessionId, "");
  const said = await attempt(call<{ answer: string }>("POST", sessionPath(sessionId) + "/commands", { command: content, replyTo: quote?.id }), "Not done");
  if (!said) return giveBack(sessionId, content);
  set({ answer: said.answer, quote: state.quote === quote ? null : state.quote });
}

// deliver sends a message. If that fails, text, files and quote return to the composer,
// unless the stream shows that only the response was lost.
async function deliver(local: Message, files: Upload[], quote: Message | null): Promise<void> {
  const { sessionId, content, replyTo, internal } = local;
  const body = { content, replyTo, internal, attachmentIds: files.map((u) => u.id) };
  const sent = await attempt(call<Message>("POST", sessionPath(sessionId) + "/messages", { ...body, clientId: local.clientId }), "Not sent");
  set({ messages: state.messages.filter((m) => m.id !== local.id) });
  if (sent) return put(sent, internal ? "note" : "message");
  if (state.messages.some((m) => m.clientId === local.clientId)) return set({ failure: "" });
  unconfirmed = local;
  set({ uploads: [...state.uploads, ...files] });
  if (sessionId === state.selected && !state.editing) set({ quote: state.quote ?? quote });
  giveBack(sessionId, internal ? "// " + content : content);
}

// clientIdOf returns the id under which the server stores a message once: a new one, or that of the same
// unconfirmed message.
function clientIdOf(m: Message): string {
  const words = ({ sessionId, content, replyTo, internal, attachments }: Message): string => JSON.stringify([sessionId, content, replyTo, internal, attachments.map((a) => a.id)]);
  const again = unconfirmed && words(unconfirmed) === words(m) ? unconfirmed.clientId : "";
  unconfirmed = null;
  return again || Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
}

// attach uploads files for the next message, as many as one carries.
export function attach(files: File[]): void {
  const room = Math.max(mostFiles - uploadsOf(state.selected).length, 0);
  if (files.length > room) set({ failure: "At most " + mostFiles + " files can go in one message" });
  for (const file of files.slice(0, room)) void transfer(file, state.selected);
}

async function transfer(file: File, sessionId: string): Promise<void> {
  const key = ++serial;
  const patch = (part: Partial<Upload>): void => set({ uploads: state.uploads.map((u) => (u.key === key ? { ...u, ...part } : u)) });
  const sending = upload(sessionId, file, (share) => patch({ share }));
  set({ uploads: [...state.uploads, { key, sessionId, name: file.name, size: file.size, share: 0, abort: sending.abort }] });
  try {
    patch({ id: (await sending.done).id });
  } catch (error) {
    patch({ failed: (error as Error).message });
  }
}

export function dropUpload(item: Upload): void {
  item.abort();
  set({ uploads: state.uploads.filter((u) => u.key !== item.key) });
}
