// The snippet of a website, to copy.

import type { Site } from "../../types";
import { h } from "../../ui/dom";
import { snippetBox } from "../snippet";

export function snippetCard(site: Site): { node: HTMLElement; code: HTMLElement } {
  const box = snippetBox("Copy the snippet of " + site.name, site.snippet);
  const node = h("div", { class: "site-snippet" }, h("h3", {}, "The chat on " + site.name),
    h("p", { class: "hint" }, "Paste this before </body> on every page of this website that should have the chat."),
    box.node);
  return { node, code: box.code };
}
