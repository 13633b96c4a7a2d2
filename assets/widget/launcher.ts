// launcher.ts puts <relay-chat> into the page: the host element with its
// shadow root, and the round button with the unread badge.

import css from "./launcher.css";
import type { Look, Options } from "./types";

const TALK = "M21 12a8 8 0 0 1-8 8H4l1.6-3.2A8 8 0 1 1 21 12Z";
const SHUT = "m6 9 6 6 6-6";
const SVG = "http://www.w3.org/2000/svg";

/** What the button shows. */
export interface View {
  open: boolean;
  unread: number;
  broken: boolean;
}

export interface Launcher {
  element: HTMLElement;
  root: ShadowRoot;
  button: HTMLElement;
  update(view: View): void;
  setLook(look: Look | null): void;
}

/** createLauncher builds the element and adds it to the page. */
export function createLauncher(options: Options, onclick: () => void): Launcher {
  if (!customElements.get("relay-chat")) {
    customElements.define("relay-chat", class extends HTMLElement {});
  }
  const element = document.createElement("relay-chat");
  const root = element.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [sheet];

  const button = document.createElement("button");
  const svg = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  const badge = document.createElement("span");
  const write = (name: string, value: unknown) => button.setAttribute(name, String(value));
  button.className = "launcher";
  button.onclick = onclick;
  badge.className = "badge";
  write("part", "launcher");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.append(path);
  button.append(svg, badge);
  if (options.launcher) root.append(button);
  element.style.setProperty("--relay-z", options.zIndex || "");
  // Beside the body, the element survives pages that swap their body.
  document.documentElement.append(element);

  return {
    element,
    root,
    button,
    update(view) {
      path.setAttribute("d", view.open ? SHUT : TALK);
      write("aria-expanded", view.open);
      write("aria-label", label(view));
      badge.textContent = badgeText(view);
    },
    setLook(look) {
      element.dataset.side = options.position || look?.side;
      for (const name in look?.vars) element.style.setProperty(name, look.vars[name]!);
    },
  };
}

/** label is the button's name, for those who cannot see the badge too. */
function label({ open, unread, broken }: View): string {
  if (open) return "Close chat";
  if (broken) return "Chat could not be loaded. Try again";
  return unread ? `Open chat, ${unread} unread` : "Open chat";
}

function badgeText({ open, unread, broken }: View): string {
  if (broken) return "!";
  return open || !unread ? "" : unread > 9 ? "9+" : String(unread);
}
