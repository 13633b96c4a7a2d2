// The address at which visitors' own AI agents come in.

import { state } from "../state/store";
import { h } from "../ui/dom";
import { shownSite, type Settings } from "./settings";
import { snippetBox } from "./snippet";
import { tr } from "../ui/texts";

export function agentsDoor(): { node: HTMLElement; draw(settings: Settings): void } {
  const box = snippetBox(tr("Copy the address for visitors’ agents"));
  const node = h("div", { id: "agents-door", hidden: true },
    h("p", { class: "hint" }, tr("Their address. Name it in your website’s llms.txt, with /llms.txt behind it.") + " ",
      h("a", { href: "/docs/agents", target: "_blank", rel: "noopener" }, tr("How visitors’ agents find and use it"))),
    box.node);
  return {
    node,
    draw(settings) {
      const site = state.sites.find((s) => s.id === shownSite()) ?? (state.sites.length === 1 ? state.sites[0] : undefined);
      node.hidden = !site || !settings["agentsEnabled"];
      if (site) box.code.textContent = location.origin + "/agents/" + site.publicKey;
    },
  };
}
