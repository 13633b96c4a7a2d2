// dom.ts builds what the widget's parts have in common.

import { h, set, type Props } from "../../shared/dom";

export { h, set };

const SVG = "http://www.w3.org/2000/svg";

export const CROSS = "M6 6l12 12M18 6 6 18";

/** icon draws one 24 × 24 outline; it is decoration and hidden from readers. */
export function icon(path: string, className?: string): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  set(svg, "class", className);
  set(svg, "viewBox", "0 0 24 24");
  set(svg, "aria-hidden", "true");
  const shape = document.createElementNS(SVG, "path");
  set(shape, "d", path);
  svg.append(shape);
  return svg;
}

/** iconButton is a button without words; its name is read out and shown on hover. */
export function iconButton(name: string, path: string, onclick: () => void, extra = ""): HTMLElement {
  const props = { class: "plain " + extra, "aria-label": name, title: name, onclick };
  return h("button", props, icon(path));
}

/** textButton is a button that looks like a link. */
export function textButton(name: string, onclick: () => void): HTMLElement {
  return h("button", { class: "link", onclick }, name);
}

/** link makes an anchor that sends the other site no referrer and gives it no handle. */
export function link(text: string, href: string, extra?: Props): HTMLAnchorElement {
  const rel = "noopener noreferrer nofollow ugc";
  return h("a", { href, target: "_blank", rel, ...extra }, text);
}

/** sheet makes a style sheet for adoptedStyleSheets, which CSP allows. */
export function sheet(css: string): CSSStyleSheet {
  const made = new CSSStyleSheet();
  made.replaceSync(css);
  return made;
}
