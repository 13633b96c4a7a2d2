// The card of a platform: how its channel is doing and, when it is not well, what to do.

import { call } from "../../api";
import { h } from "../../dom";
import { platformName, sentence } from "../../format";
import type { Bridge, Finding } from "../../types";
import { feedback } from "../settings";

export interface Card {
  node: HTMLElement;
  show(bridge: Bridge): void;
}

const tags: Record<Bridge["state"], [name: string, tone: string]> = {
  off: ["Not connected", ""],
  starting: ["Starting", ""],
  running: ["Connected", "good"],
  failing: ["Failing", "warn"],
  misconfigured: ["Does not work", "bad"],
};

const ways: Record<string, string> = {
  polling: "relay asks for operators’ answers (long polling).",
  webhook: "The platform pushes operators’ answers to relay.",
  gateway: "Operators’ answers come in by the gateway.",
  socket: "Operators’ answers come in by Socket Mode.",
};

const tagOf = (b: Bridge): [name: string, tone: string] => (b.state === "off" && b.lastError ? ["Incomplete", "bad"] : tags[b.state]);

// raw folds away an error as programs say it.
export function raw(details?: string): Node | false {
  return !!details && h("details", { class: "raw" }, h("summary", {}, "Details"), h("code", {}, details));
}

function trouble({ lastError, fix, details }: Bridge): Node | false {
  return !!lastError && h("div", { class: "alert" }, h("b", {}, sentence(lastError)), !!fix && h("p", {}, "What to do: " + fix), raw(details));
}

const levels: Record<Finding["level"], [name: string, tone: string]> = { ok: ["Well", "good"], warn: ["Look", "warn"], fail: ["Wrong", "bad"] };

// findings is what a check found, each with what to do.
export function findings(list: readonly Finding[]): HTMLElement {
  return h("ul", { class: "findings" }, ...list.map((f) => {
    const [name, tone] = levels[f.level];
    const fix = f.level !== "ok" && f.fix && h("p", { class: "hint" }, "What to do: " + f.fix);
    return h("li", {}, h("span", { class: "tag " + tone }, name), " " + sentence(f.subject) + ": " + f.text, fix, raw(f.details));
  }));
}

// card shows a bridge; reload is called when something was done about it.
export function card(name: string, reload: () => Promise<void>): Card {
  const title = platformName(name);
  const tag = h("span", { class: "tag" });
  const about = h("div");
  const found = h("div", { "aria-live": "polite" });
  const said = feedback();

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
      said.problem(sentence((error as Error).message) + ".");
    }
    button.ariaDisabled = null;
    button.textContent = label;
  };
  const test = h("button", { type: "button", class: "button small", id: "test-" + name, "aria-label": "Test " + title, onclick: () => work(test, "Testing…", async () => {
    const answer = await call<{ findings: Finding[] }>("POST", "/bridges/" + name + "/test");
    found.replaceChildren(findings(answer.findings));
    await reload();
  }) }, "Test");
  // retryAll retries the failed deliveries, a page at a time.
  const retry = h("button", { type: "button", class: "button small", onclick: () => work(retry, "Retrying…", async () => {
    for (let cursor: string | undefined = ""; cursor !== undefined; ) {
      const answer: { nextCursor?: string } = await call("POST", "/deliveries/retry", { dest: name, cursor: cursor || undefined });
      cursor = answer.nextCursor;
    }
    await reload();
  }) }, "Retry");

  // stuck shows the deliveries that the platform rejected, with a retry.
  const stuck = (b: Bridge, which: "failed" | "retrying"): Node | false => {
    const list = b[which];
    if (!list) return false;
    const one = list.count === 1;
    const verb = which === "retrying" ? (one ? "is" : "are") + " retried: " : (one ? "was" : "were") + " not delivered: ";
    return h("div", { class: "alert" }, h("p", {}, list.count.toLocaleString() + (one ? " message " : " messages ") + verb + list.reason), which === "failed" && retry);
  };
  const facts = (b: Bridge): Node => {
    const guide = h("a", { href: "/docs/" + name, target: "_blank", rel: "noopener" }, "Connect " + title);
    if (b.state === "off") return h("p", { class: "hint" }, guide);
    const waiting = b.queue ? " " + b.queue.toLocaleString() + (b.queue === 1 ? " delivery waits." : " deliveries wait.") : "";
    return h("p", { class: "hint" }, (ways[b.receive] ?? "Operators’ answers are not received.") + waiting);
  };

  let shows = "";
  return {
    node: h("section", { class: "panel bridge", "aria-labelledby": "bridge-" + name },
      h("div", { class: "bridge-head" }, h("h2", { id: "bridge-" + name }, title), tag, test),
      about, found, ...said.nodes),
    show(b) {
      if (shows === JSON.stringify(b)) return;
      shows = JSON.stringify(b);
      const [text, tone] = tagOf(b);
      tag.textContent = text;
      tag.className = "tag " + tone;
      test.hidden = b.state === "off";
      about.replaceChildren(...[trouble(b), stuck(b, "failed"), stuck(b, "retrying"), facts(b)].filter((node) => !!node));
    },
  };
}
