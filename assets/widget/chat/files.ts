// files.ts shows the files of a message.

import { h, icon, link } from "../ui/dom";
import { sizeOf } from "../../shared/size";
import type { Attachment } from "../types";

/** Only these are shown as pictures; SVG can carry scripts and is not one. */
const PICTURES = /^image\/(png|jpeg|gif|webp)$/;

/** attachmentNode is a preview for pictures, and a download link for the rest. */
export function attachmentNode(a: Attachment, apiUrl: string, play: (link: HTMLElement) => void): HTMLElement {
  const href = new URL(a.url, apiUrl + "/").href;
  const plain = () => {
    const node = link(`${a.filename} (${sizeOf(a.size)})`, href, {
      class: "flex file", download: a.filename, "data-ms": a.durationMs, "data-wave": a.waveform,
    });
    node.prepend(icon("M14 3H7a1 1 0 0 0-1 1v16a1 1 0 0 0 1 1h10a1 1 0 0 0 1-1V7zM14 3v4h4"));
    return node;
  };
  if (/^audio\//.test(a.mimeType)) {
    const holder = h("div", null, plain());
    play(holder);
    return holder;
  }
  if (!PICTURES.test(a.mimeType)) return plain();
  const picture = link("", href, { class: "picture" });
  // A page may forbid pictures of other hosts: then a link must do.
  const onerror = () => picture.replaceWith(plain());
  picture.append(h("img", { src: href, alt: a.filename, loading: "lazy", onerror }));
  return picture;
}
