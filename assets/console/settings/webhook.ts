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
import { tr } from "../ui/texts";

const secretHint = tr("It signs every event, so that the receiver knows who sent it. It is not shown again. Let relay generate it: " +
  "such a secret works with every Standard Webhooks library.");

export function webhookPage(): Page {
  const url = text({ type: "url", placeholder: "https://example.com/relay" });
  const key = secret(tr("None: not signed"));
  const prefix = text({ class: "input code", maxlength: 62 });
  const example = h("span");
  const keyHint = h("span", {}, secretHint);
  const generate = h("button", { class: "button", id: "hook-generate", onclick: () => make() }, tr("Make a secret"));
  key.node.append(generate);
  const hook = form([
    { name: "eventsWebhookEnabled", label: tr("Post events"), control: check() },
    { name: "eventsWebhookUrl", label: tr("Address"), control: url },
    { name: "eventsWebhookSecret", label: tr("Secret"), control: key, hint: keyHint },
    { name: "eventsWebhookHeaderPrefix", label: tr("Headers begin with"), control: prefix, hint: example },
  ]);
  const test = testing({
    form: hook, id: "hook-test", answer: "hook-answer", label: tr("Send test event"), waiting: tr("Waiting for the answer…"),
    run: async () => drawAnswer(await call<WebhookTest>("POST", "/webhooks/test?site=" + shownSite())),
  });
  const others = otherHooks();
  const deliveries = deliveriesSection("webhook", tr("Deliveries of the last 7 days"));

  const label = (): void => {
    const begin = String(prefix.get() ?? "X-Service");
    example.textContent = tr("{first} and {second}", { first: begin + "-Event", second: begin + "-Signature" });
    test.draw();
  };
  // make makes a secret that every library of Standard Webhooks takes, and shows it this once.
  const make = (): void => {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    keyHint.textContent = tr("Copy it to the receiver now: it is not shown again after you save.");
    key.reveal("whsec_" + btoa(String.fromCharCode(...bytes)));
  };
  hook.node.addEventListener("input", label);
  hook.onsaved = () => {
    keyHint.textContent = secretHint;
    test.forget(); // it is outdated once the settings change
  };

  return {
    node: h("div", {},
      section(tr("Where events are posted"),
        h("p", { class: "hint" }, tr("relay posts every event to your own address, signed, and retries failed deliveries.") + " ",
          h("a", { href: "/docs/reference-webhooks", target: "_blank", rel: "noopener" }, tr("What is posted"))),
        hook.node, ...test.nodes),
      deliveries.node,
      ...others.nodes),
    form: hook,
    show: () => (label(), void others.load()),
    opened: deliveries.opened,
    left: deliveries.left,
  };
}

const guide = (): HTMLElement => h("a", { href: "/docs/hooks", target: "_blank", rel: "noopener" }, tr("Recipes"));

// otherHooks are the webhooks beside the first, and the incoming ones.
function otherHooks(): { nodes: HTMLElement[]; load(): Promise<unknown> } {
  const more = hooksPart();
  const incoming = incomingPart();
  return {
    nodes: [
      section(tr("More webhooks"), h("p", { class: "hint" },
        tr("Each gets the events that you tick, signed with a secret of its own. One that is down holds up no other.") + " ", guide()),
          more.node),
      section(tr("Incoming hooks"), h("p", { class: "hint" },
        tr("Addresses at which your programs write into conversations: whoever knows one can do there what you tick.") + " ", guide()),
      incoming.node),
    ],
    load: () => Promise.all([more.load(), incoming.load()]),
  };
}

function drawAnswer(t: WebhookTest): Node[] {
  const said = sentence(t.error ?? tr("the receiver answered {status}", { status: String(t.status) }));
  const tag = h("span", { class: "tag " + (t.ok ? "good" : "bad") }, t.ok ? tr("Delivered") : tr("Failed"));
  const line = h("p", {}, tag, " " + tr("{said}, after {ms} ms.", { said, ms: t.durationMs }));
  return t.body ? [line, h("pre", { tabindex: "0", "aria-label": tr("The beginning of the response") }, t.body)] : [line];
}
