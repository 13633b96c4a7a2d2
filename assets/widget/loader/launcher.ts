// launcher.ts puts <relay-chat> into the page: the host element with its
// shadow root, and the round button. Its badge is the core's.

import css from "./launcher.css";
import type { Look, Options } from "../types";

const TALK = "M21 12a8 8 0 0 1-8 8H4l1.6-3.2A8 8 0 1 1 21 12Z";
const SHUT = "m6 9 6 6 6-6";
const BROKEN = "M12 5v9m0 4v.1";
const SVG = "http://www.w3.org/2000/svg";

/** What the button shows. */
export interface View {
  open: boolean;
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
  const element = document.createElement("relay-chat");
  const root = element.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [sheet];

  const button = document.createElement("button");
  const svg = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  let name = "Chat"; // in any language, until the core has brought the texts
  const write = (name: string, value: unknown) => button.setAttribute(name, value as string);
  button.className = "launcher";
  button.onclick = onclick;
  write("part", "launcher");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.append(path);
  button.append(svg);
  if (options.launcher && options.mode !== "inline") root.append(button);
  element.style.setProperty("--relay-z", options.zIndex || "");
  // Beside the body, the element survives pages that swap their body.
  document.documentElement.append(element);

  return {
    element,
    root,
    button,
    update(view) {
      path.setAttribute("d", view.open ? SHUT : view.broken ? BROKEN : TALK);
      write("aria-expanded", view.open);
      write("aria-label", view.broken ? "Chat could not be loaded. Try again" : name);
    },
    setLook(look) {
      name = look?.name || name;
      element.dataset.side = options.position || look?.side;
      for (const name in look?.vars) element.style.setProperty(name, look.vars[name]!);
    },
  };
}
