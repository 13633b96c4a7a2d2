// writing.ts is the visitor's side of the conversation, as panel and page use it.

import type { Outbox } from "./outbox";
import type { Signals } from "./signals";
import type { Attachment, Shell, Store } from "../types";

/** createWriting has sendMessage and setTheme for pages alone. */
export function createWriting({ storage, options }: Shell, store: Store, outbox: Outbox, { read, sent, typing }: Signals) {
  return {
    ...outbox,
    typing,
    setDraft(draft: string) {
      storage.set("draft", draft || null);
      if (draft !== store.state.draft) store.set({ draft });
    },
    setOpen(open: boolean, focus: boolean) {
      store.set({ open, focus });
      read();
    },
    submit(content: string, replyTo?: string) {
      sent();
      const files = store.state.uploads.flatMap((u) => u.attachment || []);
      store.set({ uploads: [] });
      outbox.add(content, files, replyTo).catch(() => {});
    },
    sendMessage(content: unknown, { replyTo, attachments = [] }: { replyTo?: string; attachments?: Attachment[] } = {}) {
      sent();
      return outbox.add(String(content ?? ""), attachments, replyTo); // pages also give numbers
    },
    setTheme(theme?: string) {
      options.theme = theme;
      store.set({});
    },
  };
}
