// Webhooks beside the first: each has an address, a secret and the events that it gets, and a log of its own.

import { call } from "../net/api";
import { ask } from "../ui/ask";
import { h } from "../ui/dom";
import { agoTime, fullTime, sentence } from "../ui/format";
import { ofSite, siteMark } from "../state/sites";
import { attempt } from "../state/store";
import type { Delivery, WebhookTest } from "../types";
import { asForm, input, member, type Part } from "./access";
import { secretCard } from "./secretcard";
import { button, feedback, labelled } from "./settings";
import { tr } from "../ui/texts";

interface Hook {
  id: string;
  site?: string;
  name: string;
  url: string;
  events: string[];
  madeBy: string;
  createdAt: string;
  paused: boolean;
  pausedFor?: string;
  secret?: string;
}

// wordBoxes are words to tick; all that the server names, in its order.
export function wordBoxes(title: string, words: readonly (readonly [word: string, text: string])[], ticked: string[]) {
  const boxes = words.map(([value]) => h("input", { type: "checkbox", value, checked: ticked.includes(value) }));
  return {
    node: h("fieldset", { class: "site-boxes words" }, h("legend", {}, title),
      ...words.map(([word, text], i) => h("label", { class: "check" }, boxes[i],
        h("span", {}, h("code", {}, word), text && " – " + text)))),
    value: (): string[] => boxes.filter((box) => box.checked).map((box) => box.value),
    clear: (): void => boxes.forEach((box) => (box.checked = false)),
  };
}

// answered is what a receiver said to a test event.
function answered(t: WebhookTest): string {
  const said = sentence(t.error ?? tr("the receiver answered {status}", { status: String(t.status) }));
  return (t.ok ? tr("Delivered.") : tr("Failed.")) + " " + tr("{said}, after {ms} ms.", { said, ms: t.durationMs });
}

const states: Record<Delivery["state"], [name: string, tone: string]> = {
  pending: [tr("Waiting"), ""], sending: [tr("On its way"), ""], done: [tr("Delivered"), "good"], failed: [tr("Failed"), "bad"],
};

// log shows the newest deliveries of a webhook when it is opened.
function log(hook: Hook): HTMLElement {
  const list = h("tbody");
  const note = h("p", { class: "hint", role: "status" }, tr("Loading…"));
  const row = (d: Delivery): HTMLElement => {
    const [name, tone] = states[d.state];
    const last = d.tries.at(-1);
    const came = sentence(d.lastError ||
      (last?.status ? tr("it answered {status} in {ms} ms", { status: String(last.status), ms: last.durationMs }) : ""));
    const again = button(tr("Send again"), () => void resend(d), tr("Send again: {type}", { type: d.type }));
    return h("tr", {}, h("th", { scope: "row" }, h("a", { href: "#/sessions/" + d.sessionId }, d.type)), h("td", {}, agoTime(d.createdAt)),
      h("td", {}, h("span", { class: "tag " + tone }, name)), h("td", { class: "number" }, String(d.attempts)),
      h("td", { class: "said" }, came), h("td", {}, d.state !== "sending" && again));
  };
  const load = async (): Promise<void> => {
    const found = await attempt(call<{ deliveries: Delivery[] }>("GET", "/hooks/" + hook.id + "/deliveries?limit=20"),
      tr("The deliveries could not be loaded"));
    list.replaceChildren(...(found?.deliveries ?? []).map(row));
    note.textContent = list.children.length ? tr("The newest 20.") : tr("Nothing has been posted yet.");
  };
  const resend = async (d: Delivery): Promise<void> => {
    await attempt(call("POST", "/hooks/" + hook.id + "/deliveries/" + encodeURIComponent(d.id)), tr("Not sent again"));
    await load();
  };
  const box = h("details", { class: "field", ontoggle: () => box.open && void load() }, h("summary", {}, tr("Deliveries")),
    h("table", { class: "deliveries" },
      h("thead", {}, h("tr", {}, ...[tr("Event"), tr("When"), tr("State"), tr("Attempts"), tr("Last response")].map((text) =>
        h("th", { scope: "col" }, text)),
        h("th", {}, h("span", { class: "sr" }, tr("Again"))))), list),
    h("div", { class: "buttons" }, button(tr("Refresh"), () => void load(), tr("Refresh the deliveries of {name}", { name: hook.name })),
      note));
  return box;
}

// Work is what the buttons of a webhook do.
interface Work {
  load(): Promise<void>;
  show(node: HTMLElement): void;
}

// row is a webhook with its buttons, and below it how it is changed and what was delivered.
function row(hook: Hook, events: string[], work: Work): HTMLElement[] {
  const said = h("p", { class: "hint", role: "status" });
  const path = "/hooks/" + hook.id;
  const test = async (): Promise<void> => {
    said.textContent = tr("Waiting for the answer…");
    const t = await attempt(call<WebhookTest>("POST", path + "/test"), tr("Not tested"));
    said.textContent = t ? answered(t) : "";
  };
  const pause = async (): Promise<void> => {
    await attempt(call("PATCH", path, { paused: !hook.paused }), tr("Not changed"));
    await work.load();
  };
  const end = async (): Promise<void> => {
    if (!(await ask(tr("Delete the webhook “{name}”? What waits for it is dropped.", { name: hook.name }), tr("Delete")))) return;
    await attempt(call("DELETE", path), tr("Not deleted"));
    await work.load();
  };
  const renew = async (): Promise<void> => {
    const question = tr("Make a new secret for “{name}”? The receiver has to get it before the next event.", { name: hook.name });
    if (!(await ask(question, tr("New secret")))) return;
    const made = await attempt(call<Hook>("PATCH", path, { newSecret: true }), tr("Not changed"));
    if (made?.secret) work.show(secretCard(tr("The secret of {name}", { name: hook.name }), [[tr("Secret"), made.secret]]));
  };
  const state = hook.paused ? " (" + tr("paused") + (hook.pausedFor ? ": " + hook.pausedFor : "") + ")" : "";
  const of = { name: hook.name };
  const about = [hook.url, hook.events.join(", "),
    tr("made by {name} on {time}", { name: hook.madeBy, time: fullTime(hook.createdAt) })].join(" · ");
  const item = member(hook.name, state, about,
    button(tr("Test"), () => void test(), tr("Test the webhook {name}", of)),
      button(tr("New secret…"), () => void renew(), tr("New secret of the webhook {name}", of)),
    button(hook.paused ? tr("Resume") : tr("Pause"), () => void pause(), hook.paused ? tr("Resume the webhook {name}", of)
      : tr("Pause the webhook {name}", of)),
    button(tr("Delete…"), () => void end(), tr("Delete the webhook {name}", of)));
  item.querySelector(".member-text")!.append(siteMark(hook.site) || "", said);
  return [item, h("li", {}, editor(hook, events, work), log(hook))];
}

// editor changes a webhook.
function editor(hook: Hook, events: string[], work: Work): HTMLElement {
  const name = input({ maxlength: 80, value: hook.name });
  const url = input({ type: "url", maxlength: 2000, value: hook.url });
  const chosen = wordBoxes(tr("Events"), events.map((word) => [word, ""]), hook.events);
  const save = async (): Promise<string> => {
    await call("PATCH", "/hooks/" + hook.id, { name: name.value, url: url.value, events: chosen.value() });
    await work.load();
    return tr("Saved.");
  };
  const form = asForm(feedback(), tr("Save"), { name, url, events: chosen.node }, save,
    labelled(tr("Name"), name), labelled(tr("Address"), url), chosen.node);
  return h("details", { class: "field" }, h("summary", {}, tr("Change")), form);
}

// hooksPart lists the webhooks beside the first and adds new ones.
export function hooksPart(): Part {
  const list = h("ul", { class: "members", id: "hooks" });
  const made = h("div", { "aria-live": "polite" });
  const name = input({ maxlength: 80, autocomplete: "off" });
  const url = input({ type: "url", maxlength: 2000, placeholder: "https://example.com/relay" });
  let events: string[] = [];
  let chosen = wordBoxes(tr("Events"), [], []);
  const work: Work = { load: () => load(), show: (node) => made.replaceChildren(node) };
  const load = async (): Promise<void> => {
    const found = await attempt(call<{ hooks: Hook[]; events: string[] }>("GET", "/hooks" + ofSite()),
      tr("The webhooks could not be loaded"));
    if (!found) return;
    if (!events.length) {
      events = found.events;
      const fresh = wordBoxes(tr("Events"), events.map((word) => [word, ""]), []);
      chosen.node.replaceWith(fresh.node);
      chosen = fresh;
    }
    const rows = found.hooks.flatMap((hook) => row(hook, events, work));
    list.replaceChildren(...(rows.length ? rows : [h("li", { class: "hint" }, tr("None yet."))]));
  };
  const add = async (): Promise<string> => {
    if (!chosen.value().length) throw new Error(tr("Tick the events that it gets"));
    const hook = await call<Hook>("POST", "/hooks" + ofSite(), { name: name.value, url: url.value, events: chosen.value() });
    name.value = url.value = "";
    chosen.clear();
    made.replaceChildren(secretCard(tr("The secret of {name}", { name: hook.name }), [[tr("Secret"), hook.secret ?? ""]]));
    await load();
    return "";
  };
  const form = asForm(feedback(), tr("Add a webhook"), { name, url }, add,
    labelled(tr("Name"), name, tr("What it is for, like “CRM”.")), labelled(tr("Address"), url), chosen.node);
  const more = h("details", { class: "more", id: "hooks-add" }, h("summary", {}, tr("Another webhook")), form);
  return { node: h("div", {}, list, more, made), load };
}
