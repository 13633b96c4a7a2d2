// rows.ts keeps one node per message, day line and notice, and replaces only
// what changed.

export interface Item {
  key: string;
  sign: string;
  draw(): HTMLElement;
}

/** Rows are the nodes in the page, by key, and what each was drawn from. */
export type Rows = Map<string, { sign: string; node: HTMLElement }>;

/** reconcile makes the list's children those items, touching no others. */
export function reconcile(list: HTMLElement, held: Rows, items: Item[]): void {
  const wanted = new Set(items.map((i) => i.key));
  for (const [key, { node }] of held) {
    if (wanted.has(key)) continue;
    node.remove();
    held.delete(key);
  }
  let place = list.firstChild;
  for (const item of items) {
    const old = held.get(item.key);
    let node = old?.node;
    if (old?.sign !== item.sign) {
      node = item.draw();
      if (old) {
        if (place === old.node) place = node;
        keepFocus(old.node, node);
      }
      held.set(item.key, { sign: item.sign, node });
    }
    if (place === node) place = node!.nextSibling;
    else list.insertBefore(node!, place);
  }
}

/** keepFocus swaps a node; focus inside goes to its successor. */
function keepFocus(old: HTMLElement, node: HTMLElement): void {
  const root = old.getRootNode() as ShadowRoot;
  const inside = old.contains(root.activeElement);
  old.replaceWith(node);
  if (inside) (node.querySelector<HTMLElement>(".meta button") || node).focus();
}
