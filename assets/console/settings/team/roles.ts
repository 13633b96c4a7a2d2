// What somebody in the team may do.

import { h } from "../../ui/dom";
import { tr } from "../../ui/texts";

const roles = [["operator", tr("Operator")], ["administrator", tr("Administrator")]] as const;

export const roleName = (role: string): string => roles.find(([value]) => value === role)?.[1] ?? role;

export function roleSelect(role: string, label?: string, onchange?: (e: Event) => unknown): HTMLSelectElement {
  const options = roles.map(([value, name]) => h("option", { value }, name));
  const node = h("select", { class: "input", "aria-label": label, onchange }, ...options);
  node.value = role;
  return node;
}
