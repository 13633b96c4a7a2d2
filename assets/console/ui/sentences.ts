// Texts with a number or with elements in them, for the parts of the console.

import { fillIn, language, lookUp, tr, type Values } from "./texts";

const rules = new Intl.PluralRules(language);

// plural is tr for a text about {n}: one is its English singular, many names it.
export function plural(n: number, one: string, many: string, values?: Values): string {
  const found = lookUp(many);
  const text = found === many ? (n === 1 ? one : many) : typeof found === "string" ? found : found[rules.select(n)] ?? found.other;
  return fillIn(text ?? many, { n, ...values });
}

// mixed is tr with elements in the place of {names}, as children for h.
export const mixed = (text: string, nodes: Readonly<Record<string, Node | string>>): (Node | string)[] =>
  tr(text).split(/\{(\w+)\}/).map((part, i) => (i % 2 ? nodes[part] ?? part : part)).filter((part) => part !== "");

// lowered is a text as it stands inside a sentence: names and nouns after its first word stay as they are.
export const lowered = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
