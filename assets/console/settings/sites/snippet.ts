// The snippet of a website, to copy.

import type { Site } from "../../types";
import { h } from "../../ui/dom";
import { button } from "../settings";

export function snippetCard(site: Site): { node: HTMLElement; code: HTMLElement } {
  const code = h("code", { tabindex: "0" }, site.snippet ?? "");
  const copy = button("Copy", async () => {
    await navigator.clipboard.writeText(site.snippet ?? "").then(() => (copy.textContent = "Copied"),
      () => getSelection()?.selectAllChildren(code));
    setTimeout(() => (copy.textContent = "Copy"), 2_000);
  }, "Copy the snippet of " + site.name);
  const node = h("div", { class: "site-snippet" }, h("h3", {}, "The chat on " + site.name),
    h("p", { class: "hint" }, "Paste this before </body> on every page of this website that should have the chat."),
    h("div", { class: "copy" }, code, copy));
  return { node, code };
}
