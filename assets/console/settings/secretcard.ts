// A card with what relay shows only once: a secret, or an address that is one.

import { h } from "../ui/dom";
import { button } from "./settings";
import { tr } from "../ui/texts";

// secretCard shows texts under their names, each with a button that copies it.
export function secretCard(title: string, texts: readonly (readonly [name: string, text: string])[]): HTMLElement {
  const copied = h("span", { class: "hint", role: "status" });
  const lines = texts.map(([name, text]) => {
    const field = h("input", { class: "input code", readonly: true, value: text, "aria-label": name + ": " + title,
      onfocus: () => field.select() });
    const copy = async (): Promise<void> => {
      field.select();
      const ok = await navigator.clipboard.writeText(text).then(() => true, () => document.execCommand("copy"));
      copied.textContent = ok ? tr("Copied.") : tr("Press Ctrl+C.");
    };
    return h("div", { class: "field" }, h("b", {}, name), field, button(tr("Copy"), () => void copy(), tr("Copy: {name}", { name })));
  });
  return h("div", { class: "link-card" }, h("div", {}, h("h3", { dir: "auto" }, title),
    h("p", { class: "hint" }, tr("Copy it now: relay does not show it again.")), ...lines, copied));
}
