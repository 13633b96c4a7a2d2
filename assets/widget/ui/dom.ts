// dom.ts builds DOM nodes. Nothing in the widget makes nodes from strings of
// HTML, so it works on pages that enforce Trusted Types.

type Child = Node | string | 0 | null | undefined | false;
type Props = Record<string, unknown>;

/**
 * h makes an element. Props that start with "on" are listeners, the others
 * attributes; those that are undefined, null or false are left out.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props?: Props | null,
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  if (tag === "button") set(node, "type", "button");
  for (const [name, value] of Object.entries(props || {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value as EventListener);
    else set(node, name, value);
  }
  node.append(...children.filter((child) => !!child) as (Node | string)[]);
  return node;
}

/** set writes one attribute, or removes it when there is no value. */
export function set(node: Element, name: string, value: unknown): void {
  if (value == null || value === false) node.removeAttribute(name);
  else node.setAttribute(name, value as string);
}

const SVG = "http://www.w3.org/2000/svg";

export const CROSS = "M6 6l12 12M18 6 6 18";

/** icon draws one 24 × 24 outline; it is decoration and hidden from readers. */
export function icon(path: string): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
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
export function link(text: string, href: string, extra?: Props): HTMLElement {
  const rel = "noopener noreferrer nofollow ugc";
  return h("a", { href, target: "_blank", rel, ...extra }, text);
}

/** sheet makes a style sheet for adoptedStyleSheets, which CSP allows. */
export function sheet(css: string): CSSStyleSheet {
  const made = new CSSStyleSheet();
  made.replaceSync(css);
  return made;
}
