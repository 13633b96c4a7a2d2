// tray.ts lists the files of the next message.

import { CROSS, h, iconButton } from "./dom";
import * as t from "./strings";
import type { State, Upload } from "./types";

/** createTray lists the files of the next message, with progress and cancel. */
export function createTray(drop: (key: string) => void): { node: HTMLElement; update(state: State): void } {
  const node = h("ul", { class: "tray", hidden: true });
  let shown = "";
  return {
    node,
    update({ uploads }) {
      const stages = JSON.stringify(uploads.map((u) => [u.key, u.error, u.attachment]));
      if (stages !== shown) node.replaceChildren(...uploads.map((u) => chipOf(u, drop)));
      shown = stages;
      node.hidden = !uploads.length;
      uploads.forEach((u, i) => {
        const bar = node.children[i]!.querySelector("progress");
        if (bar) bar.value = u.progress;
      });
    },
  };
}

function chipOf(u: Upload, drop: (key: string) => void): HTMLElement {
  const moving = !u.attachment && !u.error;
  return h(
    "li",
    { class: u.error && "bad" },
    h("span", { class: "name" }, u.name),
    u.error && h("span", { class: "why", role: "alert" }, u.error),
    moving && h("progress", { "aria-label": `${t.uploading} ${u.name}` }),
    iconButton(`${moving ? t.cancel : t.takeAway} ${u.name}`, CROSS, () => drop(u.key)),
  );
}
