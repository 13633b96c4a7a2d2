// A snippet of HTML with a button that copies it.

import { h } from "../ui/dom";
import { button } from "./settings";

export function snippetBox(label: string, text = ""): { node: HTMLElement; code: HTMLElement } {
  const code = h("code", { tabindex: "0" }, text);
  const copy = button("Copy", async () => {
    await navigator.clipboard.writeText(code.textContent ?? "").then(() => (copy.textContent = "Copied"),
      () => getSelection()?.selectAllChildren(code));
    setTimeout(() => (copy.textContent = "Copy"), 2_000);
  }, label);
  return { node: h("div", { class: "copy" }, code, copy), code };
}
