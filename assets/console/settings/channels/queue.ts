// The deliveries of a channel: what is retried, what failed and what can be done about it.

import { call } from "../../net/api";
import { h } from "../../ui/dom";
import type { Bridge, BridgeKind } from "../../types";
import type { Feedback } from "../settings";
import { press } from "./press";
import { plural } from "../../ui/sentences";
import { tr } from "../../ui/texts";

// queueOf returns what shows the deliveries of a bridge; reload is called when something was done about them.
export function queueOf({ name, title }: BridgeKind, said: Feedback, reload: () => Promise<void>): (b: Bridge) => Node[] {
  const button = press(title, said);
  let failed = 0;
  // Every page of failed deliveries is retried or discarded.
  const retry = button({ text: tr("Retry"), busy: tr("Retrying…"), run: async () => {
    for (let cursor: string | undefined = ""; cursor !== undefined; ) {
      const answer: { nextCursor?: string } = await call("POST", "/deliveries/retry", { dest: name, cursor: cursor || undefined });
      cursor = answer.nextCursor;
    }
    await reload();
  } });
  const question = (): string => plural(failed,
    "Discard what {title} did not accept? The message stays in the conversation, and will not be in its thread.",
    "Discard what {title} did not accept? The messages stay in the conversation, and will not be in its thread.", { title });
  const discard = button({ text: tr("Discard"), busy: tr("Discarding…"), question, run: async () => {
    for (let more = true; more; ) more = (await call<{ more: boolean }>("POST", "/deliveries/discard", { dest: name })).more;
    await reload();
  } });
  const buttons = h("div", { class: "buttons" }, retry, discard);
  return (b) => {
    failed = b.failed?.count ?? 0;
    return [
      stuck(b.failed, (n) => plural(n, "{n} message was not delivered:", "{n} messages were not delivered:"), buttons),
      stuck(b.retrying, (n) => plural(n, "{n} message is retried:", "{n} messages are retried:")),
    ].filter((node) => !!node);
  };
}

function stuck(list: Bridge["failed"], what: (n: number) => string, buttons?: Node): Node | undefined {
  if (!list) return undefined;
  return h("div", { class: "alert" }, h("p", {}, what(list.count) + " " + list.reason), buttons);
}
