// rare.ts is what few pages and visitors ask of the chat: the transcript as a text file,
// made in the browser, the end of the conversation, another one, and what pages send. Loaded
// with the first of them.

import { transcript as english } from "../lang/en.json";
import type { Attachment, Core, Earlier, Identity, Message, Resumed, Shell } from "../types";

/** How many earlier conversations are kept. */
const MOST = 20;

export async function uploadFile(core: Core, shell: Shell, file: File, onProgress?: (part: number) => void): Promise<Attachment> {
  const { uploadOne } = await shell.part<typeof import("../write/uploads")>(UPLOADS_FILE);
  return uploadOne(core, file, onProgress);
}

export function setLocale(core: Core, { options }: Shell, locale?: string): Promise<void> {
  options.locale = locale;
  return core.adopt();
}

/** introduce sends the identity that the page set. */
export async function introduce(core: Core, shell: Shell, { hash, userHash = hash, ...rest }: Identity,
  mark: string): Promise<unknown> {
  const { storage, emit } = shell;
  const answer = await core.post<Partial<Resumed> & { verified: boolean }>("identify", { identity: rest, userHash });
  storage.set("identified", mark);
  if (answer.verified) await gather(core, shell);
  if (answer.sessionId) await turnTo(core, shell, answer as Resumed);
  core.store.set({ identity: { ...core.store.state.identity, ...rest } });
  emit("identify", rest);
  return answer;
}

/** gather puts what the same person said in other browsers among the earlier conversations. */
export async function gather(core: Core, { storage }: Shell): Promise<void> {
  const { conversations } = await core.post<{ conversations: Earlier[] }>("conversations", {});
  const known = new Set(conversations.map((one) => one.id));
  const others = (storage.get<Earlier[]>("chats") || []).filter((one) => !known.has(one.id));
  storage.set("chats", [...conversations, ...others].slice(0, MOST));
}

/** turnTo goes on with another conversation, or begins one; the present one becomes an earlier one. */
export function turnTo(core: Core, { storage }: Shell, next: Resumed | null): Promise<unknown> {
  const { session } = core.client;
  const last = core.store.state.messages.at(-1);
  const others = (storage.get<Earlier[]>("chats") || []).filter((one) => one.id !== session?.id && one.id !== next?.sessionId);
  const own = session && last && {
    ...session, text: last.content.replace(/\*\*|__|~~|`/g, "") || last.attachments[0]?.filename || "", at: last.timestamp,
  };
  storage.set("chats", (own ? [own, ...others] : others).slice(0, MOST));
  return core.change(next && { id: next.sessionId, token: next.sessionToken!, live: true });
}

/** resume asks before the conversation of a link takes the place of the present one. */
export async function resume(core: Core, shell: Shell, link: string): Promise<void> {
  await core.ready();
  await core.adopt();
  if (!confirm(core.words("transcript", english).ask)) return;
  await turnTo(core, shell, await core.client.call<Resumed>("POST", "resume", { link }));
}

export async function handoff({ store, post }: Core): Promise<void> {
  store.set({ ai: false });
  await post("handoff", {}).catch((error) => {
    store.set({ ai: true });
    throw error;
  });
}

export const endChat = (core: Core) => core.post("close", {});

export function trigger(core: Core, shell: Shell, name: string, data?: unknown, { openWith }: { openWith?: unknown } = {}): unknown {
  const { store } = core;
  if (openWith) {
    const after = store.state.messages.at(-1)?.id || "";
    store.set({ greeting: { text: String(openWith), at: new Date().toISOString(), after } });
    shell.open(false);
  }
  return core.post("events", { name, data });
}

/** requestTranscript loads what is missing of the conversation, then saves it. */
export async function requestTranscript(core: Core): Promise<void> {
  await core.ready();
  const { store } = core;
  while (store.state.hasMore) {
    const before = store.state.messages.length;
    await core.older(100);
    if (store.state.messages.length === before) break;
  }
  const t = core.words("transcript", english);
  const link = await core.post<{ url?: string }>("link", {}).catch((): { url?: string } => ({}));
  const day = new Date().toISOString().slice(0, 10);
  const file = new Blob([textOf(core, t, link.url)], { type: "text/plain;charset=utf-8" });
  const href = URL.createObjectURL(file);
  const download = `${t.fileName}-${day}.txt`;
  Object.assign(document.createElement("a"), { href, download }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/** textOf is one paragraph per message, with its time and its writer. */
function textOf({ store }: Core, t: typeof english, url?: string): string {
  const { messages, config, language } = store.state;
  const team = config.operatorName || "";
  const format = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
  const line = (m: Message) => {
    const who = m.sender === "visitor" ? t.me : m.operatorName || team;
    const files = m.attachments.map((a) => `[${a.filename}]`);
    const said = m.deletedAt ? t.removed : [m.content, ...files].filter(Boolean).join("\n");
    return `${format.format(new Date(m.timestamp))}  ${who}\n${said}\n`;
  };
  const title = t.title.replace("{name}", () => team || location.hostname);
  return [title, location.origin, "", ...messages.map(line), url ? `${t.goOn} ${url}\n` : ""].join("\n");
}
