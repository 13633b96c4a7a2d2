// Files for the next message: uploading them, and their chips above the field. Loaded with the first file.

import { check, root, sessionPath } from "../net/api";
import { byId, h, icon, iconButton, syncChildren } from "../ui/dom";
import { keepFocus } from "../ui/focus";
import { sizeOf } from "../../shared/size";
import { uploadsOf } from "./write";
import { changed, set, state, subscribe } from "../state/store";
import type { Upload, View } from "../state/store";
import type { Attachment } from "../types";
import { tr } from "../ui/texts";

// A message carries at most this many files.
const mostFiles = 10;

const chips = new Map<number, HTMLLIElement>();
let serial = 0;

interface Transfer {
  done: Promise<Attachment>;
  abort(): void;
}

// upload uses XMLHttpRequest because fetch does not report upload progress.
function upload(sessionId: string, file: File, onProgress: (share: number) => void): Transfer {
  const request = new XMLHttpRequest();
  const form = new FormData();
  form.append("file", file);
  request.responseType = "json";
  request.open("POST", root + sessionPath(sessionId) + "/attachments");
  request.upload.onprogress = (e) => onProgress(e.loaded / e.total);
  const done = new Promise<void>((resolve) => (request.onloadend = () => resolve()));
  request.send(form);
  return { done: done.then(() => check(request.status, request.response)), abort: () => request.abort() };
}

// attach uploads files for the next message of a conversation, as many as one carries.
export function attach(files: File[], sessionId: string): void {
  const room = Math.max(mostFiles - uploadsOf(sessionId).length, 0);
  if (files.length > room) set({ failure: tr("At most {mostFiles} files can go in one message", { mostFiles }) });
  for (const file of files.slice(0, room)) void transfer(file, sessionId);
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

function dropUpload(item: Upload): void {
  item.abort();
  set({ uploads: state.uploads.filter((u) => u.key !== item.key) });
}

// drawChip keeps a file's item, so that focus stays on it while its progress moves.
function drawChip(u: Upload): HTMLLIElement {
  const chip = chips.get(u.key) ??
    h("li", { class: "chip" }, icon("file"), h("span"), iconButton("cross", tr("Remove {name}", { name: u.name }), () => dropUpload(u)));
  chips.set(u.key, chip);
  const state = u.failed ? h("small", { class: "bad" }, u.failed)
    : u.id ? h("small", {}, sizeOf(u.size))
    : h("progress", { value: u.share, "aria-label": tr("Uploading {name}", { name: u.name }) });
  chip.children[1]?.replaceChildren(h("b", {}, u.name), state);
  return chip;
}

const view: View = (now, before) => {
  if (!changed(now, before, "uploads", "selected")) return;
  const uploads = uploadsOf(now.selected);
  keepFocus(() => {
    syncChildren(byId("chips"), uploads.map(drawChip));
    byId("chips").hidden = !uploads.length;
  }, before.selected);
};

subscribe(view);
