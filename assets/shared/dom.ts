// dom.ts makes elements. Nothing makes nodes from strings of HTML, so it works on
// pages that enforce Trusted Types.

type Child = Node | string | 0 | null | undefined | false;
export type Props = Record<string, unknown>;

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
