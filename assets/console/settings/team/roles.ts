// What somebody in the team may do.

import { h } from "../../ui/dom";
import { language, tr } from "../../ui/texts";

const roles = [["operator", tr("Operator")], ["administrator", tr("Administrator")]] as const;

export const roleName = (role: string): string => roles.find(([value]) => value === role)?.[1] ?? role;

// roleInText is the name within a sentence: German writes nouns with a capital letter everywhere.
export const roleInText = (role: string): string => (language === "de" ? roleName(role) : roleName(role).toLowerCase());

export function roleSelect(role: string, label?: string, onchange?: (e: Event) => unknown): HTMLSelectElement {
  const options = roles.map(([value, name]) => h("option", { value }, name));
  const node = h("select", { class: "input", "aria-label": label, onchange }, ...options);
  node.value = role;
  return node;
}
