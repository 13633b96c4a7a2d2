// preview.ts is the bubble beside the closed button: who wrote, and the first
// two lines. A click opens the chat.

import { CROSS, h, iconButton, set, sheet } from "../ui/dom";
import { face } from "../chat/face";
import css from "./preview.css";
import { dark, paint } from "../ui/scheme";

export interface Words {
  name: string;
  picture?: string;
  theme?: string;
  text: string;
  /** The name of the button that puts the preview away. */
  close: string;
  onClose(): void;
}

export interface Preview {
  show(words: Words): void;
  hide(): void;
}

/** createPreview puts its bubble into the page when there is something to show. */
export function createPreview(root: ShadowRoot, onOpen: () => void): Preview {
  let shown = "";
  const node = h("div", { class: "preview", role: "status", part: "preview" });
  let styled = false;
  let given: string | undefined;
  const repaint = () => paint(node, given);
  // The page may turn dark or light while the card is there.
  const watcher = new MutationObserver(repaint);
  const hide = () => {
    shown = "";
    node.remove();
    watcher.disconnect();
    dark.removeEventListener("change", repaint);
  };
  return {
    hide,
    show({ name, picture, theme, text, close, onClose }) {
      given = theme;
      repaint();
      const sign = JSON.stringify([name, picture, text, close]);
      if (sign === shown) return;
      if (!styled) root.adoptedStyleSheets.push(sheet(css));
      styled = true;
      const put = () => {
        hide();
        onClose();
      };
      const words = h("span", { class: "words" }, h("b", { dir: "auto" }, name),
        h("span", { class: "two", dir: "auto" }, text.replace(/\*\*|__|~~|`/g, "")));
      const open = h("button", { class: "peek", onclick: onOpen }, face(name, picture), words);
      node.replaceChildren(open, iconButton(close, CROSS, put, "put"));
      set(node, "lang", root.querySelector(".launcher")?.getAttribute("lang"));
      // The page reads a status out when it changes after it is there.
      if (!shown) {
        root.append(node);
        watcher.observe(document.documentElement, { attributes: true });
        dark.addEventListener("change", repaint);
      }
      shown = sign;
    },
  };
}
