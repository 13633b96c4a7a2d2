// A snippet of HTML with a button that copies it.

import { h } from "../ui/dom";
import { button } from "./settings";
import { tr } from "../ui/texts";

export function snippetBox(label: string, text = ""): { node: HTMLElement; code: HTMLElement } {
  const code = h("code", { tabindex: "0" }, text);
  const copy = button(tr("Copy"), async () => {
    await navigator.clipboard.writeText(code.textContent ?? "").then(() => (copy.textContent = tr("Copied")),
      () => getSelection()?.selectAllChildren(code));
    setTimeout(() => (copy.textContent = tr("Copy")), 2_000);
  }, label);
  return { node: h("div", { class: "copy" }, code, copy), code };
}
