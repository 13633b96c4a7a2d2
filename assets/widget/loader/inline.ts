// inline.ts keeps the chat in an element of the page, open and without a button, also where
// the page rewrites itself: while its place is gone, the chat is closed.

import css from "./inline.css";
import type { Widget } from "./api";
import type { Options, Shell } from "../types";

/** How tall the chat is where its place has no height of its own. */
const TALL = "600px";
/** What could not be loaded is tried again after this long. */
const AGAIN = 5_000;

/** keep follows the page until the widget is destroyed. */
export function keep(shell: Shell, widget: Widget): void {
  const { element, root, options, tab } = shell;
  const { close } = shell;
  const { destroy } = widget;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets.push(sheet);
  element.dataset.mode = "inline";
  const look = () => {
    if (put(element, options) && !element.hidden) {
      shell.open(false);
      tab.set("open", null); // the next page may have a button
    } else if (widget.open) close();
  };
  const watcher = new MutationObserver(look);
  const timer = setInterval(look, AGAIN);
  shell.close = () => {}; // Escape and RelayChat.close(): a part of the page stays
  widget.destroy = (reason) => {
    watcher.disconnect();
    clearInterval(timer);
    destroy(reason);
  };
  watcher.observe(document, { childList: true, subtree: true });
  watcher.observe(element, { attributeFilter: ["hidden"] });
  look();
}

/** put reports whether the chat is in its place: the element that the page names, or behind the script. */
function put(element: HTMLElement, { target }: Options): boolean {
  const found = typeof target === "string" ? document.querySelector(target) : target;
  const script = !target && document.body?.querySelector("script[data-mode]");
  const place = script ? script.parentElement : found;
  if (!place?.isConnected) {
    element.remove();
    return false;
  }
  if (element.parentNode === place) return true;
  // A share of a height that is not set is none.
  const probe = document.createElement("div");
  probe.style.height = "100%";
  place.append(probe);
  element.style.setProperty("--height", probe.offsetHeight ? "100%" : TALL);
  probe.replaceWith(element);
  if (script) script.after(element);
  return true;
}
