// The page of the channels: where the team answers besides the console.

import { call } from "../../net/api";
import { state } from "../../state/store";
import { h } from "../../ui/dom";
import type { Bridge, BridgeKind } from "../../types";
import type { Page } from "../page";
import { card, type Card } from "./card";
import { ownCard, type OwnCard } from "./own";
import { pushed } from "./pushed";
import { tr } from "../../ui/texts";
import { inLanguage } from "../kinds";

const every = 5_000;

export function channelsPage(): Page {
  const cards = new Map<string, Card>();
  const list = h("div", { id: "bridges-list" });
  const own = h("div", { id: "own-channels", hidden: true });
  let owns: OwnCard[] = [];
  let site = "";
  const guide = h("a", { href: "/docs/settings", target: "_blank", rel: "noopener" }, tr("All settings"));
  let timer = 0;

  const load = async (): Promise<void> => {
    const answer = await call<{ bridges: Bridge[]; kinds: BridgeKind[] }>("GET", "/bridges");
    const { bridges, kinds } = { ...answer, kinds: inLanguage(answer.kinds) };
    if (!page.form) start(kinds);
    if (site !== state.site) whose(kinds);
    for (const bridge of bridges) {
      cards.get(bridge.name)?.show(bridge);
      owns[kinds.findIndex((kind) => kind.name === bridge.name)]?.show(bridge);
    }
  };
  // whose shows the channels of the chosen website, or those of all.
  const whose = (kinds: readonly BridgeKind[]): void => {
    for (const one of [...owns, ...cards.values()]) one.rest();
    site = state.site;
    owns = site ? kinds.map((kind) => ownCard(kind, site, follow)) : [];
    own.replaceChildren(...owns.map((one) => one.node));
    own.hidden = !site;
    list.hidden = page.form!.node.hidden = !!site;
  };
  // start draws what the platforms need, which is known with the first answer.
  const start = (kinds: readonly BridgeKind[]): void => {
    for (const kind of kinds) {
      cards.set(kind.name, card(kind, follow));
      list.append(cards.get(kind.name)!.node);
    }
    page.form = pushed(kinds);
    page.node.append(page.form.node);
  };
  // follow keeps what is shown if nothing newer can be loaded.
  const follow = (): Promise<void> => load().catch(() => {});

  const page: Page = {
    node: h("div", {},
      h("p", { class: "hint" },
        tr("Where your team answers, besides this console. Connect one, several or none: each conversation appears in all of them.") + " ",
          guide),
      list, own),
    async show(settings) {
      await load();
      page.form?.show(settings);
      for (const one of cards.values()) one.know(settings);
    },
    opened: () => void (timer = setInterval(() => void follow(), every)),
    left() {
      clearInterval(timer);
      for (const one of [...owns, ...cards.values()]) one.rest();
    },
  };
  return page;
}
