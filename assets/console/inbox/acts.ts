// What the AI wants to do, in the conversation: a card in the note that asks, with what exactly will be done, a yes and a
// no, and what came of it, whoever decided it and wherever. Loaded with the first such note.

import { call } from "../net/api";
import { h } from "../ui/dom";
import { fullTime } from "../ui/format";
import { attempt, changed, state, subscribe } from "../state/store";
import type { State, View } from "../state/store";
import { tr } from "../ui/texts";
import { states, type Act } from "./act";
import { asks } from "./asks";

interface Card {
  node: HTMLElement;
  show(a: Act): void;
}

// cards are those of the open conversation, by the clientId of their notes.
const cards = new Map<string, Card>();
const acts = new Map<string, Act>();
// decided are those to which somebody here said yes or no, with when something had come of each before.
const decided = new Map<string, string | undefined>();
let open = "";
let timer = 0;

// stateOf is that of an act. relay takes up a yes or no behind its answer.
const stateOf = (a: Act): Act["state"] => a.state === "waiting" && decided.has(a.id) && decided.get(a.id) === a.at ? "running" : a.state;

// request shows what will be done, each value in a line of its own.
function request(a: Act): HTMLElement {
  if (!a.request) return h("p", {}, h("code", { dir: "ltr" }, a.shown));
  const { method, address, arguments: given } = a.request;
  const row = (name: string, value: string, code: boolean): HTMLElement =>
    h("div", {}, h("dt", {}, name), h("dd", {}, code ? h("code", { dir: "ltr" }, value) : h("bdi", {}, value)));
  return h("dl", { class: "act-request" }, row(tr("Request"), method + " " + address, true),
    ...given.map(({ name, value }) => row(name, value, false)));
}

// outcome says who decided, and what came of it.
function outcome(a: Act): string {
  if (stateOf(a) === "running") return "";
  const by = a.by ? tr("by {name}", { name: a.by }) : "";
  return [by, a.at && a.state !== "waiting" ? fullTime(a.at) : ""].filter(Boolean).join(" · ");
}

function newCard(first: Act): Card {
  const tag = h("span", { class: "tag" });
  const who = h("span", { class: "hint" });
  const status = h("p", { class: "act-state", role: "status", tabindex: "-1" }, tag, " ", who);
  const reason = h("p", { class: "act-reason", dir: "auto" });
  const choose = (yes: boolean, name: string, label: string): HTMLButtonElement =>
    h("button", { class: "button small", "aria-label": label, onclick: () => void decide(first, yes, status) }, name);
  const buttons = h("div", { class: "draft-buttons" }, choose(true, tr("Yes, do it"), tr("Yes, do it: {name}", { name: first.name })),
    choose(false, tr("No"), tr("No: {name}", { name: first.name })));
  const node = h("div", { class: "act", role: "group", "aria-label": first.name }, h("p", { class: "act-name" }, h("b", {}, first.name)),
    request(first), status, reason, buttons);
  let drawn = "";
  const show = (a: Act): void => {
    const now = JSON.stringify([a, stateOf(a)]);
    if (now === drawn) return;
    drawn = now;
    const [text, tone] = states[stateOf(a)];
    tag.textContent = text;
    tag.className = "tag " + tone;
    who.textContent = outcome(a);
    reason.textContent = a.reason ?? "";
    reason.hidden = !a.reason;
    buttons.hidden = stateOf(a) !== "waiting";
  };
  show(first);
  return { node, show };
}

// decide says yes or no, once. Who comes second sees who was first.
async function decide(first: Act, yes: boolean, status: HTMLElement): Promise<void> {
  const a = acts.get(first.note ?? "") ?? first;
  if (stateOf(a) !== "waiting") return;
  decided.set(a.id, a.at);
  setTimeout(() => decided.delete(a.id), 60_000); // relay may have got it too late, and did nothing
  status.focus();
  draw();
  const refused = (error: unknown): void => {
    decided.delete(a.id);
    throw error;
  };
  await attempt(call("POST", "/ai/acts/" + a.id, { yes }).catch(refused), tr("Not done"));
  await load();
}

// draw puts the cards into their notes, which may be new elements, and keeps the focus.
function draw(): void {
  for (const m of state.messages.filter(asks)) {
    const a = acts.get(m.clientId!);
    const item = document.querySelector('#messages [data-id="' + CSS.escape(m.id) + '"]');
    const words = item?.querySelector<HTMLElement>(".words");
    if (!a || !item || !words) continue;
    const card = cards.get(m.clientId!) ?? newCard(a);
    cards.set(m.clientId!, card);
    card.show(a);
    if (words.nextElementSibling === card.node) continue;
    words.hidden = true;
    words.after(card.node);
    if (document.activeElement === item) card.node.querySelector<HTMLElement>(".act-state")!.focus({ preventScroll: true });
  }
}

async function load(): Promise<void> {
  const session = state.selected;
  clearTimeout(timer);
  const found = await call<{ acts: Act[] }>("GET", "/ai/acts?session=" + encodeURIComponent(session)).catch(() => undefined);
  if (session !== state.selected) return;
  for (const a of found?.acts ?? []) if (a.note) acts.set(a.note, a);
  draw();
  follow();
}

// follow asks again while something may come of what is shown: soon of what somebody here decided.
function follow(): void {
  clearTimeout(timer);
  const waiting = [...acts.values()].map(stateOf).filter((s) => s === "waiting" || s === "running");
  if (!waiting.length) return;
  timer = window.setTimeout(() => (document.hidden ? follow() : void load()), waiting.includes("running") ? 1000 : 15_000);
}

// view follows the conversation: another note may say what came of one.
const view: View = (now, before) => {
  if (now.selected !== open) forget(now);
  if (!changed(now, before, "messages", "outbox", "timeline", "undelivered", "selected", "configs") || !now.messages.some(asks)) return;
  draw();
  if (changed(now, before, "messages", "configs")) void load();
};

function forget(now: State): void {
  open = now.selected;
  clearTimeout(timer);
  acts.clear();
  cards.clear();
}

open = state.selected;
subscribe(view);
void load();
