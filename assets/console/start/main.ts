// The first steps of a new relay: they stay in the inbox until all are done, or the person hides them.

import { byId, h, icon } from "../ui/dom";
import { attempt, state, subscribe } from "../state/store";
import { check, choose, chosen, type Step } from "./steps";
import { tr } from "../ui/texts";

// often is how soon a step shows that it is done elsewhere.
const often = 10_000;

const narrow = matchMedia("(max-width: 760px)");
const hide = h("button", { class: "button small", type: "button", onclick: () => void put() }, tr("Hide"));
const list = h("ol", {});
const count = h("p", { class: "hint", role: "status" });
const node = h("section", { class: "first-steps", "aria-labelledby": "first-title" },
  h("div", { class: "first-head" }, h("h2", { id: "first-title" }, tr("First steps")), hide), count, list);
let drawn = "";
let timer = 0;
let over = false;

// item is a step; the first that is open says how it is done.
function item(step: Step, at: number, next: boolean): HTMLElement {
  const mark = h("span", { class: "mark", "aria-hidden": "true" }, step.done ? icon("sent") : String(at + 1));
  const title = step.done || next ? step.title : h("a", { href: step.href }, step.title);
  return h("li", { class: step.done ? "done" : "" }, mark, h("b", {}, title, step.done && h("span", { class: "sr" }, tr(", done"))),
    next && h("p", {}, step.text), next && h("a", { class: "button main", href: step.href }, step.action));
}

function draw(steps: Step[]): void {
  const now = JSON.stringify(steps);
  if (now === drawn) return;
  drawn = now;
  const next = steps.findIndex((step) => !step.done);
  count.textContent = tr("{done} of {all} done", { done: steps.filter((step) => step.done).length, all: steps.length });
  const focused = list.contains(document.activeElement);
  list.replaceChildren(...steps.map((step, at) => item(step, at, at === next)));
  if (focused) (list.querySelector("a") ?? hide).focus();
}

// place puts the steps where nothing else is shown: beside the list, or on a phone into an empty one.
function place(): void {
  const blanks = [...document.querySelectorAll<HTMLElement>('.blank[data-kind="welcome"], .blank[data-kind="pick"]')];
  const blank = narrow.matches ? undefined : blanks.find((one) => !one.hidden);
  for (const one of blanks) one.classList.toggle("with-steps", one === blank);
  const where = blank ?? (narrow.matches && state.listPhase === "ready" && !state.order.length ? byId("list-scroll") : null);
  if (node.parentElement === where) return; // moved, it would lose the focus
  if (blank) blank.append(node);
  else if (where) where.prepend(node);
  else node.remove();
}

async function look(): Promise<void> {
  if (over || state.page || document.hidden) return;
  const steps = await check().catch(() => undefined);
  if (!steps || over) return; // relay is away: what is known stays
  if (steps.every((step) => step.done)) {
    end();
    return void choose("done").catch(() => undefined); // the next page finds out again
  }
  draw(steps);
  place();
}

function end(): void {
  over = true;
  clearInterval(timer);
  node.remove();
  for (const one of document.querySelectorAll(".with-steps")) one.classList.remove("with-steps");
}

async function put(): Promise<void> {
  if ((await attempt(choose("hidden").then(() => true), tr("The steps stay"))) === true) end();
}

async function start(): Promise<void> {
  if (await chosen()) return;
  await look();
  if (over) return;
  timer = setInterval(() => void look(), often);
  addEventListener("focus", () => void look());
  narrow.addEventListener("change", place);
  subscribe((now, before) => {
    if (over) return;
    if (now.page !== before.page) void look();
    if (drawn) place();
  });
}

void start().catch(() => undefined); // the next page shows them
