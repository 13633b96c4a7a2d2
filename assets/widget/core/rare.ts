// rare.ts is what few pages and visitors ask of the chat: the transcript as a text file,
// made in the browser, the end of the conversation, and what pages send. Loaded with the
// first of them.

import { transcript as english } from "../lang/en.json";
import type { Attachment, Core, Identity, Message, Shell } from "../types";

export async function uploadFile(core: Core, shell: Shell, file: File, onProgress?: (part: number) => void): Promise<Attachment> {
  const { uploadOne } = await shell.part<typeof import("../write/uploads")>(UPLOADS_FILE);
  return uploadOne(core, file, onProgress);
}

export function setLocale(core: Core, { options }: Shell, locale?: string): Promise<void> {
  options.locale = locale;
  return core.adopt();
}

/** introduce sends the identity that the page set. */
export async function introduce(core: Core, { storage, emit }: Shell, { hash, userHash = hash, ...rest }: Identity,
  mark: string): Promise<unknown> {
  const answer = await core.post("identify", { identity: rest, userHash });
  storage.set("identified", mark);
  core.store.set({ identity: { ...core.store.state.identity, ...rest } });
  emit("identify", rest);
  return answer;
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
  const day = new Date().toISOString().slice(0, 10);
  const file = new Blob([textOf(core, t)], { type: "text/plain;charset=utf-8" });
  const href = URL.createObjectURL(file);
  const download = `${t.fileName}-${day}.txt`;
  Object.assign(document.createElement("a"), { href, download }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/** textOf is one paragraph per message, with its time and its writer. */
function textOf({ store }: Core, t: typeof english): string {
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
  return [title, location.origin, "", ...messages.map(line)].join("\n");
}
