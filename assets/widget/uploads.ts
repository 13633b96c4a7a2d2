// uploads.ts sends files before their message: checked here first, with
// progress, and cancelled when the visitor takes them away again. Loaded with
// the first file.

import { sheet } from "./dom";
import { randomId } from "./random";
import { sizeOf } from "./size";
import { createTray } from "./tray";
import type { Attachment, Config, Core, State, Upload } from "./types";
import css from "./uploads.css";

const FAILED = "Not uploaded.";

/** A message carries at most this many files. */
const MOST = 5;

export interface Uploads {
  styles: CSSStyleSheet;
  node: HTMLElement;
  update(state: State): void;
  add(files: Iterable<File>): void;
}

/** create makes the tray; what lies in it is in the store. */
export function create({ store, client, ready }: Core): Uploads {
  const running = new Map<string, XMLHttpRequest>();

  const change = (key: string, patch: Partial<Upload>) =>
    store.set({ uploads: store.state.uploads.map((u) => (u.key === key ? { ...u, ...patch } : u)) });
  const begin = async (key: string, file: File) => {
    const sessionId = await ready();
    if (!store.state.uploads.some((u) => u.key === key)) return;
    const request = new XMLHttpRequest();
    running.set(key, request);
    request.open("POST", client.url("attachments"));
    request.responseType = "json";
    for (const [name, value] of Object.entries(client.headers())) {
      request.setRequestHeader(name, value);
    }
    request.upload.onprogress = (e) => change(key, { progress: e.loaded / e.total });
    request.onloadend = () => {
      running.delete(key);
      const { id, error = FAILED } = request.response || {};
      change(key, id ? { attachment: request.response as Attachment } : { error });
    };
    const form = new FormData();
    form.append("sessionId", sessionId);
    form.append("file", file);
    request.send(form);
  };

  const drop = (key: string) => {
    store.set({ uploads: store.state.uploads.filter((u) => u.key !== key) });
    running.get(key)?.abort();
  };
  client.life.addEventListener("abort", () => running.forEach((request) => request.abort()));

  return {
    ...createTray(drop),
    styles: sheet(css),
    add(files) {
      const room = MOST - store.state.uploads.length;
      const chosen = [...files];
      if (chosen.length > room) store.set({ notice: `At most ${MOST} files can go in one message.` });
      for (const file of chosen.slice(0, room)) {
        const error = check(file, store.state.config);
        const upload = { key: randomId(), name: file.name, progress: 0, error };
        store.set({ uploads: [...store.state.uploads, upload] });
        if (!error) begin(upload.key, file).catch(() => change(upload.key, { error: FAILED }));
      }
    },
  };
}

/** check names what is wrong with a file, before it travels. */
export function check(file: File, { attachments }: Config): string | undefined {
  const { maxBytes = 0, types = [] } = attachments || {};
  if (!file.size) return "The file is empty.";
  if (maxBytes && file.size > maxBytes) return `Larger than ${sizeOf(maxBytes)}.`;
  if (types.length && !types.some((t) => fits(file, t))) return "This kind of file is not accepted.";
  return undefined;
}

/** fits understands what an accept attribute does: type/sub, type/ *, .ext. */
function fits(file: File, type: string): boolean {
  if (type.startsWith(".")) return file.name.toLowerCase().endsWith(type.toLowerCase());
  if (type.endsWith("/*")) return file.type.startsWith(type.slice(0, -1));
  return type === "*" || file.type === type;
}
