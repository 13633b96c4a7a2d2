// Topics of a rehearsal: groups of alike questions, how often the AI matched the team, and what that cost.

import { siteMark } from "../state/sites";
import { h } from "../ui/dom";
import { button, labelled } from "./settings";
import { tr } from "../ui/texts";

export interface Topic {
  id: string;
  site?: string;
  name: string;
  asked: number;
  right: number;
  inARow: number;
  needed: number;
  state: "learning" | "offered" | "answers";
  reason?: string;
  sessionId?: string;
  waiting: number;
  tokens: number;
  cost?: string;
}

// opened are the topics and their further examples that stand open, also after they are drawn anew.
const opened = new Set<string>();

// Change changes a topic.
export type Change = (t: Topic, body: Record<string, unknown>) => Promise<void>;

// topicItem shows a topic with its examples.
export function topicItem(t: Topic, all: Topic[], examples: HTMLElement[], change: Change): HTMLElement {
  const box = h("details", { open: all.length === 1 || opened.has(t.id), ontoggle: () => opened[box.open ? "add" : "delete"](t.id) },
    h("summary", {}, h("b", { dir: "auto" }, t.name), " ", tag(t), " ", siteMark(t.site)),
    standing(t, change), h("p", { class: "hint" }, facts(t)),
    h("ul", { class: "sources" }, ...examples.slice(0, shownFirst)), more(t, examples.slice(shownFirst)),
    tools(t, all, change)) as HTMLDetailsElement;
  return h("li", { "data-topic": t.id }, box);
}

// shownFirst is how many examples stand open: those that a person has to look at come first.
const shownFirst = 3;

function more(t: Topic, examples: HTMLElement[]): HTMLElement | string {
  if (!examples.length) return "";
  const key = t.id + " more";
  const box = h("details", { open: opened.has(key), ontoggle: () => opened[box.open ? "add" : "delete"](key) },
    h("summary", {}, tr("{n} more", { n: examples.length })), h("ul", { class: "sources" }, ...examples)) as HTMLDetailsElement;
  return box;
}

// standing says who answers a topic, why, and lets an administrator change that.
function standing(t: Topic, change: Change): HTMLElement {
  const where = t.sessionId ? h("a", { href: "#/sessions/" + encodeURIComponent(t.sessionId) }, tr("Conversation")) : "";
  if (t.state === "answers") {
    return h("div", {}, h("p", {}, tr("The AI answers this by itself. It stops as soon as somebody corrects it.") + " "),
      h("div", { class: "buttons" }, button(tr("Take it back"), () => change(t, { answers: false }))));
  }
  const fell = t.reason ? [tr("It answered this by itself until {reason}.", { reason: t.reason }) + " ", where, " "] : [];
  if (t.inARow < t.needed) return h("p", { class: "hint" }, ...fell,
    tr("Your team answers this: {inARow} of {row} in a row are right.", { inARow: t.inARow, row: t.needed }));
  return h("div", {}, h("p", {}, ...fell, tr("It matched your last {row} answers.", { row: t.needed })),
    h("div", { class: "buttons" }, button(tr("Let it answer these"), () => change(t, { answers: true }))));
}

// tag says how often the AI matched the team.
function tag(t: Topic): HTMLElement {
  if (t.state === "answers") return h("span", { class: "tag good" }, tr("Answers by itself"));
  if (!t.asked) return h("span", { class: "tag" }, t.waiting ? tr("Waits") : tr("Not asked"));
  return h("span", { class: "tag " + (t.right === t.asked ? "good" : t.right ? "" : "bad") },
    tr("{right} of {asked} right", { right: t.right, asked: t.asked }));
}

function facts(t: Topic): string {
  return !t.tokens ? "" : t.cost ? tr("Its answers took {tokens} tokens, {cost}.", { tokens: t.tokens, cost: t.cost })
    : tr("Its answers took {tokens} tokens.", { tokens: t.tokens });
}

// tools rename a topic, or put it into another one.
function tools(t: Topic, all: Topic[], change: Change): HTMLElement {
  const name = h("input", { class: "input", maxlength: "60", value: t.name });
  const others = all.filter((other) => other.id !== t.id && other.site === t.site);
  const into = h("select", { class: "input" }, h("option", { value: "" }, tr("Choose…")),
    ...others.map((other) => h("option", { value: other.id }, other.name)));
  const merge = (): unknown => into.value && change(t, { into: into.value });
  return h("details", { class: "more" }, h("summary", {}, tr("Rename or merge")),
    labelled(tr("Name"), name), h("div", { class: "buttons" }, button(tr("Rename"), () => change(t, { name: name.value }))),
    ...(others.length ? [labelled(tr("The same as"), into), h("div", { class: "buttons" }, button(tr("Merge"), merge))] : []));
}
