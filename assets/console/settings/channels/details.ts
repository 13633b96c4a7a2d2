// What a connected channel is, below its name: the bot, the group or channel, and folded how answers
// come in and what waits.

import { call } from "../../net/api";
import { h } from "../../ui/dom";
import { agoTime } from "../../ui/format";
import type { Bridge, BridgeKind } from "../../types";
import type { Place, Setup } from "./types";
import { mixed, plural } from "../../ui/sentences";
import { tr } from "../../ui/texts";

export interface Details {
  node: HTMLElement;
  show(bridge: Bridge): void;
}

const ways: Record<string, string> = {
  polling: tr("relay fetches operators’ answers (long polling)."),
  webhook: tr("The platform pushes operators’ answers to relay."),
  gateway: tr("Operators’ answers arrive through the gateway."),
  socket: tr("Operators’ answers arrive through Socket Mode."),
};

// detailsOf keeps what is unfolded while the channel's state is drawn again.
export function detailsOf({ name, title }: BridgeKind): Details {
  const bot = h("p", { class: "hint", hidden: true });
  const flow = h("p", { class: "hint" });
  const node = h("div", { hidden: true }, bot, h("details", { class: "raw" }, h("summary", {}, tr("Details")), flow));
  let asked = false;

  // identify asks the platform once who the bot is, and where. Without an answer nothing is said: the state says what is wrong.
  const identify = async (): Promise<void> => {
    asked = true;
    const setup = await call<Setup>("POST", "/bridges/" + name + "/connect", {}).catch(() => undefined);
    bot.hidden = !setup?.bot;
    bot.replaceChildren(...mixed("The bot is {name}.", { name: h("b", {}, setup?.bot ?? "") }), ...placed(title, setup?.place));
  };
  return {
    node,
    show(b) {
      node.hidden = b.state === "off";
      if (b.state !== "running") {
        bot.hidden = true;
        asked = false; // the next token may be another bot's
      } else if (!asked) void identify();
      flow.replaceChildren(...flowOf(b));
    },
  };
}

// placed says where conversations begin, and leads there.
function placed(title: string, place?: Place): (Node | string)[] {
  if (!place) return [];
  const name = place.within ? place.name + " (" + place.within + ")" : place.name;
  const link = place.link && h("a", { href: place.link, target: "_blank", rel: "noopener noreferrer" }, tr("Open in {title}", { title }));
  return [" ", ...mixed("New conversations begin in {name}.", { name: h("b", {}, name) }), ...(link ? [" ", link] : [])];
}

// flowOf says how answers come in, and what waits to go out.
function flowOf({ receive, queue, deliveredAt }: Bridge): (Node | string)[] {
  const waiting = queue ? plural(queue, "{n} message waits.", "{n} messages wait.") : tr("Nothing waits.");
  return [(ways[receive] ?? tr("Operators’ answers are not received.")) + " " + waiting,
    ...(deliveredAt ? [" ", ...mixed("Last delivery: {time}.", { time: agoTime(deliveredAt) })] : [])];
}
