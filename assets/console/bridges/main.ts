// The bridges' page: how each is doing and, when it is not well, what to do. The console loads it when it is opened.

import { call } from "../api";
import { byId, h } from "../dom";
import { platformName, sentence } from "../format";
import { loadBridges } from "../health";
import { attempt, changed, set, state, subscribe } from "../store";
import type { State, View } from "../store";
import type { Bridge, Finding } from "../types";

async function test({ name }: Bridge): Promise<void> {
  const button = byId<HTMLButtonElement>("test-" + name);
  if (button.ariaDisabled === "true") return;
  button.ariaDisabled = "true";
  button.textContent = "Testing…";
  const answer = await attempt(call<{ findings: Finding[] }>("POST", "/bridges/" + name + "/test"), platformName(name) + " could not be tested");
  button.ariaDisabled = null;
  button.textContent = "Test";
  if (!answer) return;
  set({ findings: { ...state.findings, [name]: answer.findings } });
  await loadBridges();
}

const tags: Record<Bridge["state"], [name: string, tone: string]> = {
  off: ["Off", ""],
  starting: ["Starting", ""],
  running: ["Running", "good"],
  failing: ["Failing", "warn"],
  misconfigured: ["Does not work", "bad"],
};

const ways: Record<string, string> = {
  polling: "relay asks for operators’ answers (long polling).",
  webhook: "The platform pushes operators’ answers to relay.",
  gateway: "Operators’ answers come in by the gateway.",
  socket: "Operators’ answers come in by Socket Mode.",
};

function tagOf(b: Bridge): [name: string, tone: string] {
  return b.state === "off" && b.lastError ? ["Incomplete", "bad"] : tags[b.state];
}

function trouble({ lastError, fix, details }: Bridge): Node | false {
  return !!lastError && h("div", { class: "alert" }, h("b", {}, sentence(lastError)), !!fix && h("p", {}, "What to do: " + fix), raw(details));
}

// stuck shows the deliveries that the platform rejected, with a retry.
function stuck(b: Bridge, which: "failed" | "retrying"): Node | false {
  const found = b[which];
  if (!found) return false;
  const what = found.count === 1 ? "1 message " : found.count.toLocaleString() + " messages ";
  const verb = which === "retrying" ? (found.count === 1 ? "is" : "are") + " retried: " : (found.count === 1 ? "was" : "were") + " not delivered: ";
  const again = which === "failed" && h("button", { type: "button", class: "button small", onclick: () => retryAll(b) }, "Retry");
  return h("div", { class: "alert" }, h("p", {}, what + verb + found.reason), again);
}

// retryAll retries the failed deliveries, a page at a time.
async function retryAll({ name }: Bridge): Promise<void> {
  for (let cursor: string | undefined = ""; cursor !== undefined; ) {
    const answer: { nextCursor?: string } | undefined = await attempt(call("POST", "/deliveries/retry", { dest: name, cursor: cursor || undefined }), "Not sent again");
    cursor = answer?.nextCursor;
  }
  await loadBridges();
}

// raw folds away an error as programs say it.
function raw(details?: string): Node | false {
  return !!details && h("details", { class: "raw" }, h("summary", {}, "Details"), h("code", {}, details));
}

// guide links to the guide that connects a platform.
function guide({ name }: Bridge): Node {
  return h("a", { href: "/docs/" + name, target: "_blank", rel: "noopener" }, "Connect " + platformName(name));
}

function facts(bridge: Bridge): Node {
  const { state: is, receive, queue } = bridge;
  if (is === "off") return h("p", { class: "hint" }, "Not connected. ", guide(bridge));
  const waiting = queue ? " " + queue.toLocaleString() + (queue === 1 ? " delivery waits." : " deliveries wait.") : "";
  return h("p", { class: "hint" }, (ways[receive] ?? "Operators’ answers are not received.") + waiting);
}

const levels: Record<Finding["level"], [name: string, tone: string]> = { ok: ["Well", "good"], warn: ["Look", "warn"], fail: ["Wrong", "bad"] };

function finding(f: Finding): HTMLLIElement {
  const [name, tone] = levels[f.level];
  const fix = f.level !== "ok" && f.fix && h("p", { class: "hint" }, "What to do: " + f.fix);
  return h("li", {}, h("span", { class: "tag " + tone }, name), " " + sentence(f.subject) + ": " + f.text, fix, raw(f.details));
}

function card(b: Bridge, found: readonly Finding[] = []): HTMLElement {
  const [name, tone] = tagOf(b);
  const button = b.state !== "off" && h("button", { type: "button", class: "button small", id: "test-" + b.name, onclick: () => test(b), "aria-label": "Test " + platformName(b.name) }, "Test");
  return h("section", { class: "panel bridge", "aria-labelledby": "bridge-" + b.name },
    h("div", { class: "bridge-head" }, h("h2", { id: "bridge-" + b.name }, platformName(b.name)), h("span", { class: "tag " + tone }, name), button),
    trouble(b),
    stuck(b, "failed"),
    stuck(b, "retrying"),
    facts(b),
    !!found.length && h("ul", { class: "findings" }, ...found.map(finding)));
}

function draw({ bridges, findings }: State): void {
  const focused = document.activeElement?.id;
  byId("bridges-list").replaceChildren(...bridges.map((b) => card(b, findings[b.name])));
  if (focused?.startsWith("test-")) byId(focused)?.focus();
}

const bridgesView: View = (now, before) => {
  if (changed(now, before, "bridges", "findings")) draw(now);
};

function open(): void {
  if (state.page === "bridges") void loadBridges();
}

const all = h("a", { href: "/docs/settings", target: "_blank", rel: "noopener" }, "All settings");
byId("bridges-list").before(h("p", { class: "hint" }, "Where your team answers besides this console. ", all));
subscribe(bridgesView);
draw(state);
addEventListener("hashchange", open);
open();
