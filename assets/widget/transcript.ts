// transcript.ts gives the visitor the conversation as a text file, made in the
// browser. Loaded when it is asked for.

import { h } from "./dom";
import { transcript as english } from "./lang/en.json";
import type { Core, Message } from "./types";

/** download loads what is missing of the conversation, then saves it. */
export async function download(core: Core): Promise<void> {
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
  const link = h("a", { href, download: `${t.fileName}-${day}.txt` });
  link.click();
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
