// The card of a platform: its state in words, the next step only, and what waits or failed there.

import { call } from "../../net/api";
import { ask } from "../../ui/ask";
import { h } from "../../ui/dom";
import { agoTime, sentence } from "../../ui/format";
import type { Bridge, BridgeKind, Finding } from "../../types";
import { feedback, variableOf, type Settings } from "../settings";
import { connect } from "./connect";
import { findings, raw } from "./findings";
import { markOf } from "./marks";

export interface Card {
  node: HTMLElement;
  show(bridge: Bridge): void;
  know(settings: Settings): void;
  // rest stops what follows the platform while the page is not in view.
  rest(): void;
}

const tags: Record<Bridge["state"], [name: string, tone: string]> = {
  off: ["Not connected", ""],
  starting: ["Starting", ""],
  running: ["Connected", "good"],
  failing: ["Failing", "warn"],
  misconfigured: ["Does not work", "bad"],
};

const ways: Record<string, string> = {
  polling: "relay fetches operators’ answers (long polling).",
  webhook: "The platform pushes operators’ answers to relay.",
  gateway: "Operators’ answers arrive through the gateway.",
  socket: "Operators’ answers arrive through Socket Mode.",
};

const tagOf = (b: Bridge): [name: string, tone: string] => (b.state === "off" && b.lastError ? ["Next step", ""] : tags[b.state]);

function trouble({ state: is, lastError, fix, details }: Bridge): Node | false {
  if (!lastError || is === "off") return false; // the next step says it
  return h("div", { class: "alert" }, h("b", {}, sentence(lastError) + "."), !!fix && h("p", {}, "What to do: " + fix), raw(details));
}

// card shows a bridge; reload is called when something was done about it.
export function card(kind: BridgeKind, reload: () => Promise<void>): Card {
  const { name, title } = kind;
  // The settings whose variables make that it cannot be disconnected here.
  const [bot, ...apps] = kind.tokens.map((t) => t.setting);
  const needs = [bot!, kind.channel, ...apps];
  const tag = h("span", { class: "tag" });
  const state = h("div");
  const found = h("div", { "aria-live": "polite" });
  const said = feedback();
  const locked = h("p", { class: "hint origin" });
  const steps = connect(kind, async () => {
    await reload();
    heading.focus();
  });
  const heading = h("h2", { id: "bridge-" + name, tabindex: "-1" }, title);
  let bridge: Bridge | undefined;
  let opened = false;
  let shows = "";

  // work runs what a button does, once at a time, and shows what went wrong.
  const work = async (button: HTMLButtonElement, busy: string, run: () => Promise<void>): Promise<void> => {
    if (button.ariaDisabled === "true") return;
    const label = button.textContent ?? "";
    button.ariaDisabled = "true";
    button.textContent = busy;
    said.said("");
    try {
      await run();
    } catch (error) {
      said.refused(error);
    }
    button.ariaDisabled = null;
    button.textContent = label;
  };
  // small is a button that works once it was confirmed, if it asks.
  const small = (text: string, busy: string, run: () => Promise<void>, more: object = {}, question?: () => string): HTMLButtonElement => {
    const press = async (): Promise<void> => {
      if (!question || (await ask(question(), text))) await work(button, busy, run);
    };
    const button = h("button", { type: "button", class: "button small", "aria-label": text + " " + title, onclick: press, ...more }, text);
    return button;
  };
  const test = small("Test", "Testing…", async () => {
    const answer = await call<{ findings: Finding[] }>("POST", "/bridges/" + name + "/test", { post: true });
    found.replaceChildren(findings(answer.findings));
    await reload();
  }, { id: "test-" + name });
  const open = small("Connect", "Connecting…", async () => {
    opened = true;
    draw();
    steps.node.querySelector("input")?.focus();
  }, { id: "connect-" + name, class: "button small main" });
  const disconnect = small("Disconnect", "Disconnecting…", async () => {
    await call("DELETE", "/bridges/" + name);
    opened = false;
    found.replaceChildren();
    await reload();
    heading.focus();
  }, { class: "button small danger-text" },
    () => "Disconnect " + title + "? The token and the channel are forgotten. Threads and messages stay on " + title +
      "; messages from now on are not delivered there, also not later.");
  // every page of failed deliveries is retried or discarded.
  const retry = small("Retry", "Retrying…", async () => {
    for (let cursor: string | undefined = ""; cursor !== undefined; ) {
      const answer: { nextCursor?: string } = await call("POST", "/deliveries/retry", { dest: name, cursor: cursor || undefined });
      cursor = answer.nextCursor;
    }
    await reload();
  });
  const discard = small("Discard", "Discarding…", async () => {
    for (let more = true; more; ) more = (await call<{ more: boolean }>("POST", "/deliveries/discard", { dest: name })).more;
    await reload();
  }, {}, () => "Discard what " + title + " did not accept? " + (bridge?.failed?.count === 1 ? "The message stays" : "The messages stay") +
    " in the conversation, and will not be in its thread.");

  const stuck = (b: Bridge, which: "failed" | "retrying"): Node | false => {
    const list = b[which];
    if (!list) return false;
    const one = list.count === 1;
    const verb = which === "retrying" ? (one ? "is" : "are") + " retried: " : (one ? "was" : "were") + " not delivered: ";
    return h("div", { class: "alert" }, h("p", {}, list.count.toLocaleString() + (one ? " message " : " messages ") + verb + list.reason),
      which === "failed" && h("div", { class: "buttons" }, retry, discard));
  };
  const facts = (b: Bridge): Node => {
    if (b.state === "off") {
      const guide = h("a", { href: "/docs/" + name, target: "_blank", rel: "noopener" }, "Step by step");
      return h("p", { class: "hint" }, kind.about + " ", guide);
    }
    const queue = b.queue ? b.queue.toLocaleString() + (b.queue === 1 ? " message waits." : " messages wait.") : "Nothing waits.";
    return h("p", { class: "hint" }, (ways[b.receive] ?? "Operators’ answers are not received.") + " " + queue,
      b.deliveredAt ? " Last delivery: " : "", b.deliveredAt ? agoTime(b.deliveredAt) : "", b.deliveredAt ? "." : "");
  };
  const draw = (): void => {
    if (!bridge) return;
    const b = bridge;
    const [text, tone] = tagOf(b);
    const off = b.state === "off";
    tag.textContent = text;
    tag.className = "tag " + tone;
    test.hidden = off;
    disconnect.hidden = off && !b.lastError;
    const connecting = off && (opened || !!b.lastError);
    open.hidden = !off || connecting;
    state.replaceChildren(...[trouble(b), stuck(b, "failed"), stuck(b, "retrying"), facts(b)].filter((node) => !!node));
    if (connecting) steps.begin();
    else steps.end();
  };

  return {
    node: h("section", { class: "panel bridge", "aria-labelledby": "bridge-" + name },
      h("div", { class: "bridge-head" }, markOf(kind.icon), heading, tag, open, test, disconnect),
      state, steps.node, found, locked, ...said.nodes),
    show(b) {
      bridge = b;
      if (shows === JSON.stringify(b)) return;
      shows = JSON.stringify(b);
      draw();
    },
    know(settings) {
      steps.know(settings);
      const variables = needs.filter((setting) => settings.sources[setting] === "environment")
        .map((setting) => variableOf(settings, setting));
      disconnect.disabled = !!variables.length;
      locked.replaceChildren(...(variables.length ? [h("span", { class: "locked" }, "Set by "), h("code", {}, variables.join(", "))] : []));
    },
    rest() {
      steps.end();
      shows = "";
    },
  };
}
