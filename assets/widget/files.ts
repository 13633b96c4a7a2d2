// files.ts shows files: those of a message, and the tray of those about to go.

import { CROSS, h, icon, iconButton } from "./dom";
import * as t from "./strings";
import { link } from "./text";
import type { Attachment, Core, State, Upload } from "./types";

/** Only these are shown as pictures; SVG can carry scripts and is not one. */
const PICTURES = /^image\/(png|jpeg|gif|webp)$/;

/** attachmentNode is a preview for pictures, and a download link for the rest. */
export function attachmentNode(a: Attachment, apiUrl: string): HTMLElement {
  const href = new URL(a.url, apiUrl + "/").href;
  const plain = () => {
    const node = link(`${a.filename} (${sizeOf(a.size)})`, href, { class: "file", download: a.filename });
    node.prepend(icon("M14 3H7a1 1 0 0 0-1 1v16a1 1 0 0 0 1 1h10a1 1 0 0 0 1-1V7zM14 3v4h4"));
    return node;
  };
  if (!PICTURES.test(a.mimeType)) return plain();
  const picture = link("", href, { class: "picture" });
  // A page may forbid pictures of other hosts: then a link must do.
  const onerror = () => picture.replaceWith(plain());
  picture.append(h("img", { src: href, alt: a.filename, loading: "lazy", onerror }));
  return picture;
}

/** sizeOf words a number of bytes. */
export function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const kb = bytes / 1024;
  return kb < 1024 ? `${Math.round(kb)} KB` : `${(kb / 1024).toFixed(1)} MB`;
}

/** createTray lists the files of the next message, with progress and cancel. */
export function createTray(core: Core): { node: HTMLElement; update(state: State): void } {
  const node = h("ul", { class: "tray", hidden: true });
  const held = new Map<string, { stage: string; chip: HTMLElement }>();
  const stageOf = (u: Upload) => u.error || (u.attachment ? "done" : "moving");
  return {
    node,
    update({ uploads }) {
      const keys = new Set(uploads.map((u) => u.key));
      for (const [key, { chip }] of held) {
        if (!keys.has(key)) {
          chip.remove();
          held.delete(key);
        }
      }
      for (const u of uploads) {
        const old = held.get(u.key);
        const stage = stageOf(u);
        const bar = old?.chip.querySelector("progress");
        if (old?.stage === stage) {
          if (bar) bar.value = u.progress;
          continue;
        }
        const chip = chipOf(u, core);
        if (old) old.chip.replaceWith(chip);
        else node.append(chip);
        held.set(u.key, { stage, chip });
      }
      node.hidden = !uploads.length;
    },
  };
}

function chipOf(u: Upload, core: Core): HTMLElement {
  const moving = !u.attachment && !u.error;
  return h(
    "li",
    { class: u.error && "bad" },
    h("span", { class: "name" }, u.name),
    u.error && h("span", { class: "why", role: "alert" }, u.error),
    moving && h("progress", { value: u.progress, max: 1, "aria-label": `${t.uploading} ${u.name}` }),
    iconButton(`${moving ? t.cancel : t.takeAway} ${u.name}`, CROSS, () => core.dropUpload(u.key)),
  );
}
