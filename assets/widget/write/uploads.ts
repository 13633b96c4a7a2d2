// uploads.ts sends files before their message: checked here first, with
// progress, and cancelled when the visitor takes them away again. Loaded with
// the first file.

import { sizeOf } from "../../shared/size";
import css from "./uploads.css";
import { shrink, thumbnail } from "./photo";
import type { Attachment, Config, Core, State, Upload } from "../types";
import { randomId } from "../../shared/random";
import { createTray } from "./tray";
import { uploads as english } from "../lang/en.json";
import { count } from "../text/plural";
import { sheet } from "../ui/dom";

/** A message carries at most this many files. */
const MOST = 5;

export interface Uploads {
  styles: CSSStyleSheet;
  node: HTMLElement;
  update(state: State): void;
  add(files: Iterable<File>): void;
}

/** create makes the tray; what lies in it is in the store. */
export function create(core: Core): Uploads {
  const { store, client, ready, words } = core;
  const t = words("uploads", english);
  const running = new Map<string, XMLHttpRequest>();

  const change = (key: string, patch: Partial<Upload>) =>
    store.set({ uploads: store.state.uploads.map((u) => (u.key === key ? { ...u, ...patch } : u)) });
  const begin = async (key: string, file: File) => {
    await ready();
    if (!store.state.uploads.some((u) => u.key === key)) return;
    const { request, done } = post(core, t, file, (progress) => change(key, { progress }));
    running.set(key, request);
    const result = await done.finally(() => running.delete(key));
    change(key, "id" in result ? { attachment: result } : result);
  };
  const prepare = async (key: string, file: File) => {
    const small = await shrink(file);
    const error = check(small, store.state.config, t);
    if (error) change(key, { error });
    else await begin(key, small);
  };
  const drop = (key: string) => {
    store.set({ uploads: store.state.uploads.filter((u) => u.key !== key) });
    running.get(key)?.abort();
  };
  client.life.addEventListener("abort", () => running.forEach((request) => request.abort()));

  return {
    ...createTray(drop, t),
    styles: sheet(css),
    add(files) {
      const room = MOST - store.state.uploads.length;
      const chosen = [...files];
      if (chosen.length > room) store.set({ notice: count(MOST, t.most, store.state.language) });
      for (const file of chosen.slice(0, room)) {
        const upload = { key: randomId(), name: file.name, progress: 0 };
        store.set({ uploads: [...store.state.uploads, upload] });
        thumbnail(file).then((canvas) => canvas && change(upload.key, { thumbnail: canvas }));
        prepare(upload.key, file).catch(() => change(upload.key, { error: t.notUploaded }));
      }
    },
  };
}

/** post sends a file of a session that there is. */
function post({ store, client }: Core, t: typeof english, file: File, onProgress: (part: number) => void) {
  const request = new XMLHttpRequest();
  request.open("POST", client.url("attachments"));
  request.responseType = "json";
  for (const [name, value] of Object.entries(client.headers())) request.setRequestHeader(name, value);
  request.upload.onprogress = (e) => onProgress(e.loaded / e.total);
  const done = new Promise<Attachment | { error: string }>((resolve) => {
    request.onloadend = () => {
      const { id, error = t.notUploaded } = request.response || {};
      resolve(id ? request.response : { error });
    };
  });
  const form = new FormData();
  form.append("sessionId", store.state.sessionId);
  form.append("file", file);
  request.send(form);
  return { request, done };
}

/** uploadOne is for the page: it checks and shrinks as the tray does. */
export async function uploadOne(core: Core, given: File, onProgress = (_: number) => {}): Promise<Attachment> {
  await core.ready();
  const file = await shrink(given);
  const t = core.words("uploads", english);
  const error = check(file, core.store.state.config, t);
  const result = error ? { error } : await post(core, t, file, onProgress).done;
  if ("id" in result) return result;
  throw new Error(result.error);
}

/** check names what is wrong with a file, before it travels. */
export function check(file: File, { attachments }: Config, t: typeof english): string | undefined {
  const { maxBytes = 0, types = [] } = attachments || {};
  if (!file.size) return t.empty;
  if (maxBytes && file.size > maxBytes) return t.tooLarge.replace("{size}", sizeOf(maxBytes));
  if (types.length && !types.some((type) => fits(file, type))) return t.badType;
  return undefined;
}

/** fits understands what an accept attribute does: type/sub, type/ *, .ext. */
function fits(file: File, type: string): boolean {
  if (type.startsWith(".")) return file.name.toLowerCase().endsWith(type.toLowerCase());
  if (type.endsWith("/*")) return file.type.startsWith(type.slice(0, -1));
  return type === "*" || file.type === type;
}
