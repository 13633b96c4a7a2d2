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
  const said = sentence(t.error ?? "the receiver answered " + t.status);
  return (t.ok ? "Delivered. " : "Failed. ") + said + ", after " + t.durationMs + " ms.";
}

const states: Record<Delivery["state"], [name: string, tone: string]> = {
  pending: ["Waiting", ""], sending: ["On its way", ""], done: ["Delivered", "good"], failed: ["Failed", "bad"],
};

// log shows the newest deliveries of a webhook when it is opened.
function log(hook: Hook): HTMLElement {
  const list = h("tbody");
  const note = h("p", { class: "hint", role: "status" }, "Loading…");
  const row = (d: Delivery): HTMLElement => {
    const [name, tone] = states[d.state];
    const last = d.tries.at(-1);
    const came = sentence(d.lastError || (last?.status ? "it answered " + last.status + " in " + last.durationMs + " ms" : ""));
    const again = button("Send again", () => void resend(d), "Send again: " + d.type);
    return h("tr", {}, h("th", { scope: "row" }, h("a", { href: "#/sessions/" + d.sessionId }, d.type)), h("td", {}, agoTime(d.createdAt)),
      h("td", {}, h("span", { class: "tag " + tone }, name)), h("td", { class: "number" }, String(d.attempts)),
      h("td", { class: "said" }, came), h("td", {}, d.state !== "sending" && again));
  };
  const load = async (): Promise<void> => {
    const found = await attempt(call<{ deliveries: Delivery[] }>("GET", "/hooks/" + hook.id + "/deliveries?limit=20"),
      "The deliveries could not be loaded");
    list.replaceChildren(...(found?.deliveries ?? []).map(row));
    note.textContent = list.children.length ? "The newest 20." : "Nothing has been posted yet.";
  };
  const resend = async (d: Delivery): Promise<void> => {
    await attempt(call("POST", "/hooks/" + hook.id + "/deliveries/" + encodeURIComponent(d.id)), "Not sent again");
    await load();
  };
  const box = h("details", { class: "field", ontoggle: () => box.open && void load() }, h("summary", {}, "Deliveries"),
    h("table", { class: "deliveries" },
      h("thead", {}, h("tr", {}, ...["Event", "When", "State", "Attempts", "Last response"].map((text) => h("th", { scope: "col" }, text)),
        h("th", {}, h("span", { class: "sr" }, "Again")))), list),
    h("div", { class: "buttons" }, button("Refresh", () => void load(), "Refresh the deliveries of " + hook.name), note));
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
    said.textContent = "Waiting for the answer…";
    const t = await attempt(call<WebhookTest>("POST", path + "/test"), "Not tested");
    said.textContent = t ? answered(t) : "";
  };
  const pause = async (): Promise<void> => {
    await attempt(call("PATCH", path, { paused: !hook.paused }), "Not changed");
    await work.load();
  };
  const end = async (): Promise<void> => {
    if (!(await ask("Delete the webhook “" + hook.name + "”? What waits for it is dropped.", "Delete"))) return;
    await attempt(call("DELETE", path), "Not deleted");
    await work.load();
  };
  const renew = async (): Promise<void> => {
    const question = "Make a new secret for “" + hook.name + "”? The receiver has to get it before the next event.";
    if (!(await ask(question, "New secret"))) return;
    const made = await attempt(call<Hook>("PATCH", path, { newSecret: true }), "Not changed");
    if (made?.secret) work.show(secretCard("The secret of " + hook.name, [["Secret", made.secret]]));
  };
  const state = hook.paused ? " (paused" + (hook.pausedFor ? ": " + hook.pausedFor : "") + ")" : "";
  const of = " the webhook " + hook.name;
  const about = [hook.url, hook.events.join(", "), "made by " + hook.madeBy + " on " + fullTime(hook.createdAt)].join(" · ");
  const item = member(hook.name, state, about,
    button("Test", () => void test(), "Test" + of), button("New secret…", () => void renew(), "New secret of" + of),
    button(hook.paused ? "Resume" : "Pause", () => void pause(), (hook.paused ? "Resume" : "Pause") + of),
    button("Delete…", () => void end(), "Delete" + of));
  item.querySelector(".member-text")!.append(siteMark(hook.site) || "", said);
  return [item, h("li", {}, editor(hook, events, work), log(hook))];
}

// editor changes a webhook.
function editor(hook: Hook, events: string[], work: Work): HTMLElement {
  const name = input({ maxlength: 80, value: hook.name });
  const url = input({ type: "url", maxlength: 2000, value: hook.url });
  const chosen = wordBoxes("Events", events.map((word) => [word, ""]), hook.events);
  const save = async (): Promise<string> => {
    await call("PATCH", "/hooks/" + hook.id, { name: name.value, url: url.value, events: chosen.value() });
    await work.load();
    return "Saved.";
  };
  const form = asForm(feedback(), "Save", { name, url, events: chosen.node }, save,
    labelled("Name", name), labelled("Address", url), chosen.node);
  return h("details", { class: "field" }, h("summary", {}, "Change"), form);
}

// hooksPart lists the webhooks beside the first and adds new ones.
export function hooksPart(): Part {
  const list = h("ul", { class: "members", id: "hooks" });
  const made = h("div", { "aria-live": "polite" });
  const name = input({ maxlength: 80, autocomplete: "off" });
  const url = input({ type: "url", maxlength: 2000, placeholder: "https://example.com/relay" });
  let events: string[] = [];
  let chosen = wordBoxes("Events", [], []);
  const work: Work = { load: () => load(), show: (node) => made.replaceChildren(node) };
  const load = async (): Promise<void> => {
    const found = await attempt(call<{ hooks: Hook[]; events: string[] }>("GET", "/hooks" + ofSite()), "The webhooks could not be loaded");
    if (!found) return;
    if (!events.length) {
      events = found.events;
      const fresh = wordBoxes("Events", events.map((word) => [word, ""]), []);
      chosen.node.replaceWith(fresh.node);
      chosen = fresh;
    }
    const rows = found.hooks.flatMap((hook) => row(hook, events, work));
    list.replaceChildren(...(rows.length ? rows : [h("li", { class: "hint" }, "None yet.")]));
  };
  const add = async (): Promise<string> => {
    if (!chosen.value().length) throw new Error("Tick the events that it gets");
    const hook = await call<Hook>("POST", "/hooks" + ofSite(), { name: name.value, url: url.value, events: chosen.value() });
    name.value = url.value = "";
    chosen.clear();
    made.replaceChildren(secretCard("The secret of " + hook.name, [["Secret", hook.secret ?? ""]]));
    await load();
    return "";
  };
  const form = asForm(feedback(), "Add a webhook", { name, url }, add,
    labelled("Name", name, "What it is for, like “CRM”."), labelled("Address", url), chosen.node);
  const more = h("details", { class: "more", id: "hooks-add" }, h("summary", {}, "Another webhook"), form);
  return { node: h("div", {}, list, more, made), load };
}
