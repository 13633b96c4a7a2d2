// The page of the channels: where the team answers besides the console.

import { call } from "../../net/api";
import { h } from "../../ui/dom";
import type { Bridge, BridgeKind } from "../../types";
import type { Page } from "../page";
import { card, type Card } from "./card";
import { pushed } from "./pushed";

const every = 5_000;

export function channelsPage(): Page {
  const cards = new Map<string, Card>();
  const list = h("div", { id: "bridges-list" });
  const guide = h("a", { href: "/docs/settings", target: "_blank", rel: "noopener" }, "All settings");
  let timer = 0;

  const load = async (): Promise<void> => {
    const { bridges, kinds } = await call<{ bridges: Bridge[]; kinds: BridgeKind[] }>("GET", "/bridges");
    if (!page.form) start(kinds);
    for (const bridge of bridges) cards.get(bridge.name)?.show(bridge);
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
        "Where your team answers, besides this console. Connect one, several or none: each conversation appears in all of them. ", guide),
      list),
    async show(settings) {
      await load();
      page.form?.show(settings);
      for (const one of cards.values()) one.know(settings);
    },
    opened: () => void (timer = setInterval(() => void follow(), every)),
    left() {
      clearInterval(timer);
      for (const one of cards.values()) one.rest();
    },
  };
  return page;
}
