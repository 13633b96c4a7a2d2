// dress.ts gives the launcher a label and a picture of the website's own, while the chat
// is closed and can be loaded.

import css from "./own.css";

/** What a website has of its own. */
export interface Own {
  label?: string;
  /** The picture's address, whole or on relay. */
  picture?: string;
  /** The page opens the chat by a button of its own. */
  hidden?: boolean;
}

/** dress changes the button of a widget, and keeps to it; dressed again, it takes the new look. */
export function dress(element: Element, { label = "", picture }: Own, base: string): void {
  const root = element.shadowRoot!;
  const button = root.querySelector(".launcher");
  if (!button) return; // the chat stands in the page, or the page has its own button
  const path = button.querySelector("path")!;
  const text = document.createElement("span");
  const image = new Image();
  for (const old of button.querySelectorAll("img,.label")) old.remove();
  if (!root.adoptedStyleSheets.some((sheet) => sheet === styles)) root.adoptedStyleSheets.push(styles);
  text.className = "label";
  text.dir = "auto";
  text.textContent = label;
  if (label) button.append(text);
  image.alt = "";
  image.onerror = () => image.remove();
  if (picture) {
    image.src = new URL(picture, base).href;
    button.prepend(image);
  }
  const look = () => {
    const asAlways = path.getAttribute("d")!.startsWith(TALK);
    const name = button.getAttribute("aria-label")!;
    button.classList.toggle("wide", !!label && asAlways);
    button.classList.toggle("pictured", image.isConnected && asAlways);
    // What is seen is part of what is read out.
    if (label && !name.startsWith(label)) button.setAttribute("aria-label", `${label}: ${name}`);
  };
  watchers.get(button)?.disconnect();
  const watcher = new MutationObserver(look);
  watcher.observe(button, { subtree: true, childList: true, attributeFilter: ["d", "aria-label"] });
  watchers.set(button, watcher);
  look();
}

/** The beginning of the icon of a closed chat, as launcher.ts draws it. */
const TALK = "M21 12";
const watchers = new WeakMap<Element, MutationObserver>();
const styles = new CSSStyleSheet();
styles.replaceSync(css);
