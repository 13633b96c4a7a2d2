// The webhook's page: where events are posted, and what the receiver says to a test event.

import { call } from "../net/api";
import { h } from "../ui/dom";
import { sentence } from "../ui/format";
import type { WebhookTest } from "../types";
import { check, secret, text } from "./controls";
import { deliveriesSection } from "./deliveries";
import { form } from "./form";
import { hooksPart } from "./hooks";
import { incomingPart } from "./incoming";
import type { Page } from "./page";
import { section, shownSite } from "./settings";
import { testing } from "./testing";

const secretHint = "It signs every event, so that the receiver knows who sent it. It is not shown again. Let relay generate it: " +
  "such a secret works with every Standard Webhooks library.";

export function webhookPage(): Page {
  const url = text({ type: "url", placeholder: "https://example.com/relay" });
  const key = secret("None: not signed");
  const prefix = text({ class: "input code", maxlength: 62 });
  const example = h("span");
  const keyHint = h("span", {}, secretHint);
  const generate = h("button", { class: "button", id: "hook-generate", onclick: () => make() }, "Make a secret");
  key.node.append(generate);
  const hook = form([
    { name: "eventsWebhookEnabled", label: "Post events", control: check() },
    { name: "eventsWebhookUrl", label: "Address", control: url },
    { name: "eventsWebhookSecret", label: "Secret", control: key, hint: keyHint },
    { name: "eventsWebhookHeaderPrefix", label: "Headers begin with", control: prefix, hint: example },
  ]);
  const test = testing({
    form: hook, id: "hook-test", answer: "hook-answer", label: "Send test event", waiting: "Waiting for the answer…",
    run: async () => drawAnswer(await call<WebhookTest>("POST", "/webhooks/test?site=" + shownSite())),
  });
  const others = otherHooks();
  const deliveries = deliveriesSection("webhook", "Deliveries of the last 7 days");

  const label = (): void => {
    const begin = String(prefix.get() ?? "X-Service");
    example.textContent = begin + "-Event and " + begin + "-Signature";
    test.draw();
  };
  // make makes a secret that every library of Standard Webhooks takes, and shows it this once.
  const make = (): void => {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    keyHint.textContent = "Copy it to the receiver now: it is not shown again after you save.";
    key.reveal("whsec_" + btoa(String.fromCharCode(...bytes)));
  };
  hook.node.addEventListener("input", label);
  hook.onsaved = () => {
    keyHint.textContent = secretHint;
    test.forget(); // it is outdated once the settings change
  };

  return {
    node: h("div", {},
      section("Where events are posted",
        h("p", { class: "hint" }, "relay posts every event to your own address, signed, and retries failed deliveries. ",
          h("a", { href: "/docs/reference-webhooks", target: "_blank", rel: "noopener" }, "What is posted")),
        hook.node, ...test.nodes),
      deliveries.node,
      ...others.nodes),
    form: hook,
    show: () => (label(), void others.load()),
    opened: deliveries.opened,
    left: deliveries.left,
  };
}

const guide = (): HTMLElement => h("a", { href: "/docs/hooks", target: "_blank", rel: "noopener" }, "Recipes");

// otherHooks are the webhooks beside the first, and the incoming ones.
function otherHooks(): { nodes: HTMLElement[]; load(): Promise<unknown> } {
  const more = hooksPart();
  const incoming = incomingPart();
  return {
    nodes: [
      section("More webhooks", h("p", { class: "hint" },
        "Each gets the events that you tick, signed with a secret of its own. One that is down holds up no other. ", guide()), more.node),
      section("Incoming hooks", h("p", { class: "hint" },
        "Addresses at which your programs write into conversations: whoever knows one can do there what you tick. ", guide()),
      incoming.node),
    ],
    load: () => Promise.all([more.load(), incoming.load()]),
  };
}

function drawAnswer(t: WebhookTest): Node[] {
  const said = sentence(t.error ?? "the receiver answered " + t.status);
  const tag = h("span", { class: "tag " + (t.ok ? "good" : "bad") }, t.ok ? "Delivered" : "Failed");
  const line = h("p", {}, tag, " " + said + ", after " + t.durationMs + " ms.");
  return t.body ? [line, h("pre", { tabindex: "0", "aria-label": "The beginning of the response" }, t.body)] : [line];
}
