// The deliveries of a channel: what is retried, what failed and what can be done about it.

import { call } from "../../net/api";
import { h } from "../../ui/dom";
import type { Bridge, BridgeKind } from "../../types";
import type { Feedback } from "../settings";
import { press } from "./press";

// queueOf returns what shows the deliveries of a bridge; reload is called when something was done about them.
export function queueOf({ name, title }: BridgeKind, said: Feedback, reload: () => Promise<void>): (b: Bridge) => Node[] {
  const button = press(title, said);
  let failed = 0;
  // Every page of failed deliveries is retried or discarded.
  const retry = button({ text: "Retry", busy: "Retrying…", run: async () => {
    for (let cursor: string | undefined = ""; cursor !== undefined; ) {
      const answer: { nextCursor?: string } = await call("POST", "/deliveries/retry", { dest: name, cursor: cursor || undefined });
      cursor = answer.nextCursor;
    }
    await reload();
  } });
  const question = (): string => "Discard what " + title + " did not accept? " +
    (failed === 1 ? "The message stays" : "The messages stay") + " in the conversation, and will not be in its thread.";
  const discard = button({ text: "Discard", busy: "Discarding…", question, run: async () => {
    for (let more = true; more; ) more = (await call<{ more: boolean }>("POST", "/deliveries/discard", { dest: name })).more;
    await reload();
  } });
  const buttons = h("div", { class: "buttons" }, retry, discard);
  return (b) => {
    failed = b.failed?.count ?? 0;
    return [
      stuck(b.failed, "was not delivered: ", "were not delivered: ", buttons),
      stuck(b.retrying, "is retried: ", "are retried: "),
    ].filter((node) => !!node);
  };
}

function stuck(list: Bridge["failed"], one: string, many: string, buttons?: Node): Node | undefined {
  if (!list) return undefined;
  const what = list.count === 1 ? " message " + one : " messages " + many;
  return h("div", { class: "alert" }, h("p", {}, list.count.toLocaleString() + what + list.reason), buttons);
}
