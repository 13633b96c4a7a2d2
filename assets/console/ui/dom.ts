// What the console's views have in common. Nodes are never made from HTML strings.

import { h } from "../../shared/dom";

export { h };

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

// setText leaves an unchanged text alone, so that live regions do not repeat it.
export function setText(id: string, text: string): void {
  if (byId(id).textContent !== text) byId(id).textContent = text;
}

// setAttribute leaves an unchanged attribute alone, so that nothing is styled again.
export function setAttribute(el: Element, name: string, value: string): void {
  if (el.getAttribute(name) !== value) el.setAttribute(name, value);
}

export function on(id: string, type: string, run: (e: Event) => unknown): void {
  byId(id).addEventListener(type, run);
}

// syncChildren makes parent's children equal nodes while moving as few as possible, so that focus survives.
export function syncChildren(parent: Element, nodes: readonly Element[]): void {
  const wanted = new Set(nodes);
  for (const old of [...parent.children]) if (!wanted.has(old)) old.remove();
  let at = parent.firstElementChild;
  for (const node of nodes) {
    if (node === at) at = at.nextElementSibling;
    else parent.insertBefore(node, at);
  }
}

let serial = 0;

// newId names an element that a label or a description refers to. It is one of its kind in the page.
export const newId = (): string => "s" + ++serial;

// newTab is how links to foreign pages open.
export const newTab = { target: "_blank", rel: "noopener noreferrer nofollow ugc" };

// icon shows another symbol of console.html in a copy of the page's first icon.
export function icon(name: string): Element {
  const el = document.querySelector(".icon")?.cloneNode(true) as Element;
  el.firstElementChild?.setAttribute("href", "#i-" + name);
  return el;
}

// iconButton has its name as tooltip and for screen readers.
export function iconButton(name: string, label: string, onclick: () => unknown): HTMLElement {
  return h("button", { class: "tool", title: label, "aria-label": label, onclick }, icon(name));
}
