// The snippet of a website, to copy.

import type { Site } from "../../types";
import { h } from "../../ui/dom";
import { snippetBox } from "../snippet";
import { tr } from "../../ui/texts";

export function snippetCard(site: Site): { node: HTMLElement; code: HTMLElement } {
  const box = snippetBox(tr("Copy the snippet of {name}", { name: site.name }), site.snippet);
  const node = h("div", { class: "site-snippet" }, h("h3", {}, tr("The chat on {name}", { name: site.name })),
    h("p", { class: "hint" }, tr("Paste this before </body> on every page of this website that should have the chat.")),
    box.node);
  return { node, code: box.code };
}
