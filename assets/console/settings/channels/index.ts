// The page of the channels: where the team answers besides the console.

import { call } from "../../net/api";
import { h } from "../../ui/dom";
import type { Bridge } from "../../types";
import type { Page } from "../page";
import { card, type Card } from "./card";
import { pushed } from "./pushed";

const every = 5_000;

export function channelsPage(): Page {
  const cards = new Map<string, Card>();
  const list = h("div", { id: "bridges-list" });
  const guide = h("a", { href: "/docs/settings", target: "_blank", rel: "noopener" }, "All settings");
  const webhooks = pushed();
  let timer = 0;

  const load = async (): Promise<void> => {
    for (const bridge of (await call<{ bridges: Bridge[] }>("GET", "/bridges")).bridges) {
      const one = cards.get(bridge.name) ?? card(bridge.name, follow);
      if (!cards.has(bridge.name)) list.append(one.node);
      cards.set(bridge.name, one);
      one.show(bridge);
    }
  };
  // follow keeps what is shown if nothing newer can be loaded.
  const follow = (): Promise<void> => load().catch(() => {});

  return {
    node: h("div", {},
      h("p", { class: "hint" },
        "Where your team answers, besides this console. Connect one, several or none: each conversation appears in all of them. ", guide),
      list, webhooks.node),
    form: webhooks,
    async show(settings) {
      await load();
      for (const one of cards.values()) one.know(settings);
    },
    opened: () => void (timer = setInterval(() => void follow(), every)),
    left() {
      clearInterval(timer);
      for (const one of cards.values()) one.rest();
    },
  };
}
