// Disconnecting a channel, unless variables keep it connected.

import { call } from "../../net/api";
import { h } from "../../ui/dom";
import type { BridgeKind } from "../../types";
import { variableOf, type Feedback, type Settings } from "../settings";
import { press } from "./press";
import { mixed } from "../../ui/sentences";
import { tr } from "../../ui/texts";

export interface Disconnect {
  button: HTMLButtonElement;
  // locked names the variables.
  locked: HTMLElement;
  know(settings: Settings): void;
}

// disconnect calls done once the channel is disconnected.
export function disconnect({ name, title, tokens, channel }: BridgeKind, said: Feedback, done: () => Promise<void>): Disconnect {
  const [bot, ...apps] = tokens.map((t) => t.setting);
  const needs = [bot!, channel, ...apps];
  const locked = h("p", { class: "hint origin" });
  const question = (): string => tr("Disconnect {title}? The token and the channel are forgotten. Threads and messages stay on " +
    "{title}; messages from now on are not delivered there, also not later.", { title });
  const texts = { text: tr("Disconnect"), busy: tr("Disconnecting…") };
  const button = press(title, said)({ ...texts, look: " danger-text", question, run: async () => {
    await call("DELETE", "/bridges/" + name);
    await done();
  } });
  return {
    button,
    locked,
    know(settings) {
      const variables = needs.filter((setting) => settings.sources[setting] === "environment")
        .map((setting) => variableOf(settings, setting));
      button.disabled = !!variables.length;
      locked.replaceChildren(...(variables.length
        ? [h("span", { class: "locked" }, ...mixed("Set by {variable}", { variable: h("code", {}, variables.join(", ")) }))] : []));
    },
  };
}
