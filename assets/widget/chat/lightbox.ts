// lightbox.ts shows a picture as large as the window, with those before and
// behind it. Loaded with the first click on one.

import type { Core } from "../types";
import { lightbox as english } from "../lang/en.json";
import css from "./lightbox.css";
import { CROSS, h, icon, iconButton, link, sheet } from "../ui/dom";

interface Picture {
  src: string;
  name: string;
}

export interface Lightbox {
  styles: CSSStyleSheet;
  /** Shows a picture of the log, among those near it. */
  open(link: HTMLAnchorElement): void;
}

/** create puts the dialog into the page only while it is open. */
export function create(core: Core, scroller: HTMLElement): Lightbox {
  const t = core.words("lightbox", english);
  let all: Picture[] = [];
  let index = 0;
  const img = h("img");
  const name = h("span", { class: "name", dir: "auto" });
  const original = link("", "", { class: "plain", "aria-label": t.original, title: t.original });
  original.append(icon("M14 4h6v6M20 4l-9 9M18 14v6H4V6h6"));
  const step = (by: number) => {
    index = (index + by + all.length) % all.length;
    show();
  };
  const before = iconButton(t.pictureBefore, "m15 5-7 7 7 7", () => step(-1), "before");
  const next = iconButton(t.pictureNext, "m9 5 7 7-7 7", () => step(1), "next");
  const close = iconButton(t.closePicture, CROSS, () => dialog.close());
  close.autofocus = true;
  const dialog = h("dialog", { class: "lightbox", "aria-label": t.picture, dir: "ltr" },
    h("div", { class: "flex bar" }, name, original, close), h("div", { class: "stage" }, before, img, next));
  const show = () => {
    const { src, name: words } = all[index]!;
    img.src = src;
    img.alt = words;
    name.textContent = all[1] ? `${index + 1} / ${all.length} · ${words}` : words;
    original.href = src;
    before.hidden = next.hidden = !all[1];
  };
  dialog.addEventListener("keydown", (e) => {
    if (e.key === "ArrowLeft") step(-1);
    else if (e.key === "ArrowRight") step(1);
    else if (e.key === "Escape") e.stopPropagation(); // the chat stays open
  });
  dialog.addEventListener("click", (e) => (e.target as Element).matches(".stage, dialog") && dialog.close());
  dialog.addEventListener("close", () => dialog.remove());

  return {
    styles: sheet(css),
    open(link) {
      const links = [...scroller.querySelectorAll<HTMLAnchorElement>(".picture")];
      all = links.map((a) => ({ src: a.href, name: a.querySelector("img")?.alt || "" }));
      index = links.indexOf(link);
      show();
      scroller.getRootNode().appendChild(dialog);
      dialog.showModal();
    },
  };
}
