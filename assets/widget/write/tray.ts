// tray.ts lists the files of the next message.

import { CROSS, h, iconButton } from "../ui/dom";
import type { uploads } from "../lang/en.json";
import type { State, Upload } from "../types";

/** createTray lists the files of the next message, with progress and cancel. */
export function createTray(drop: (key: string) => void, t: typeof uploads): { node: HTMLElement; update(state: State): void } {
  const node = h("ul", { class: "tray", hidden: true });
  let shown = "";
  return {
    node,
    update({ uploads }) {
      const stages = JSON.stringify(uploads.map((u) => [u.key, u.error, u.attachment, !!u.thumbnail]));
      if (stages !== shown) node.replaceChildren(...uploads.map((u) => chipOf(u, drop, t)));
      shown = stages;
      node.hidden = !uploads.length;
      uploads.forEach((u, i) => {
        const bar = node.children[i]!.querySelector("progress");
        if (bar) bar.value = u.progress;
      });
    },
  };
}

function chipOf(u: Upload, drop: (key: string) => void, t: typeof uploads): HTMLElement {
  const name = (text: string) => text.replace("{name}", () => u.name);
  const moving = !u.attachment && !u.error;
  return h("li", { class: u.error ? "box flex bad" : "box flex" }, u.thumbnail, h("span", { class: "name", dir: "auto" }, u.name),
    u.error && h("span", { class: "why", role: "alert" }, u.error),
    moving && h("progress", { "aria-label": name(t.uploading) }),
    iconButton(name(moving ? t.stop : t.takeAway), CROSS, () => drop(u.key)));
}
