// The lightbox: pictures of a conversation over the page, loaded when the first is opened.

import { h, iconButton } from "../ui/dom";
import { fileURL } from "../ui/format";
import { state } from "../state/store";
import type { Attachment } from "../types";
import { tr } from "../ui/texts";

const picture = h("img", { alt: "" });
const caption = h("p", { class: "lightbox-name" });
const full = h("a", { class: "button small", target: "_blank", rel: "noopener noreferrer" }, tr("Open in a new tab"));
const earlier = iconButton("back", tr("Previous picture"), () => turn(-1));
const later = iconButton("next", tr("Next picture"), () => turn(1));
const box: HTMLDialogElement = h("dialog", { class: "lightbox", "aria-label": tr("Picture") },
  h("div", { class: "lightbox-bar" }, caption, full, iconButton("cross", tr("Close"), () => box.close())),
  h("div", { class: "lightbox-stage" }, earlier, picture, later));
document.body.append(box);

let pictures: Attachment[] = [];
let at = 0;

function turn(by: number): void {
  at = Math.min(Math.max(at + by, 0), pictures.length - 1);
  const a = pictures[at];
  if (!a) return;
  picture.src = full.href = fileURL(a.url);
  picture.alt = a.filename;
  caption.textContent = pictures.length > 1 ? a.filename + " · " + tr("{at} of {n}", { at: at + 1, n: pictures.length }) : a.filename;
  earlier.classList.toggle("off", at === 0);
  later.classList.toggle("off", at === pictures.length - 1);
}

box.addEventListener("keydown", (e) => {
  if (e.key === "ArrowLeft") turn(-1);
  if (e.key === "ArrowRight") turn(1);
});
box.addEventListener("click", (e) => {
  if (e.target === box || (e.target as HTMLElement).classList.contains("lightbox-stage")) box.close();
});

// show opens one of the conversation's pictures, which have these types. The browser gives the focus back when it is closed.
export function show(first: Attachment, types: RegExp): void {
  pictures = state.messages.filter((m) => !m.deletedAt).flatMap((m) => m.attachments).filter((a) => types.test(a.mimeType));
  at = Math.max(pictures.findIndex((a) => a.id === first.id), 0);
  turn(0);
  box.showModal();
}
