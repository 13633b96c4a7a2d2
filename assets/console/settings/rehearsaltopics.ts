// Topics of a rehearsal: groups of alike questions, how often the AI matched the team, and what that cost.

import { siteMark } from "../state/sites";
import { h } from "../ui/dom";
import { button, labelled } from "./settings";

export interface Topic {
  id: string;
  site?: string;
  name: string;
  asked: number;
  right: number;
  inARow: number;
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
    h("summary", {}, `${examples.length} more`), h("ul", { class: "sources" }, ...examples)) as HTMLDetailsElement;
  return box;
}

// row is how many answers must be right, one behind the other, before the AI may answer a topic by itself.
const row = 10;

// standing says who answers a topic, why, and lets an administrator change that.
function standing(t: Topic, change: Change): HTMLElement {
  const where = t.sessionId ? h("a", { href: "#/sessions/" + encodeURIComponent(t.sessionId) }, "Conversation") : "";
  if (t.state === "answers") {
    return h("div", {}, h("p", {}, "The AI answers this by itself. It stops as soon as somebody corrects it. "),
      h("div", { class: "buttons" }, button("Take it back", () => change(t, { answers: false }))));
  }
  const fell = t.reason ? [`It answered this by itself until ${t.reason}. `, where, " "] : [];
  if (t.inARow < row) return h("p", { class: "hint" }, ...fell, `Your team answers this: ${t.inARow} of ${row} in a row are right.`);
  return h("div", {}, h("p", {}, ...fell, `It matched your last ${row} answers.`),
    h("div", { class: "buttons" }, button("Let it answer these", () => change(t, { answers: true }))));
}

// tag says how often the AI matched the team.
function tag(t: Topic): HTMLElement {
  if (t.state === "answers") return h("span", { class: "tag good" }, "Answers by itself");
  if (!t.asked) return h("span", { class: "tag" }, t.waiting ? "Waits" : "Not asked");
  return h("span", { class: "tag " + (t.right === t.asked ? "good" : t.right ? "" : "bad") }, `${t.right} of ${t.asked} right`);
}

function facts(t: Topic): string {
  return t.tokens ? `Its answers took ${t.tokens.toLocaleString()} tokens${t.cost ? ", " + t.cost : ""}.` : "";
}

// tools rename a topic, or put it into another one.
function tools(t: Topic, all: Topic[], change: Change): HTMLElement {
  const name = h("input", { class: "input", maxlength: "60", value: t.name });
  const others = all.filter((other) => other.id !== t.id && other.site === t.site);
  const into = h("select", { class: "input" }, h("option", { value: "" }, "Choose…"),
    ...others.map((other) => h("option", { value: other.id }, other.name)));
  const merge = (): unknown => into.value && change(t, { into: into.value });
  return h("details", { class: "more" }, h("summary", {}, "Rename or merge"),
    labelled("Name", name), h("div", { class: "buttons" }, button("Rename", () => change(t, { name: name.value }))),
    ...(others.length ? [labelled("The same as", into), h("div", { class: "buttons" }, button("Merge", merge))] : []));
}
