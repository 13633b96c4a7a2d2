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
  waiting: number;
  tokens: number;
  cost?: string;
}

// opened are the topics that stand open, also after they are drawn anew.
const opened = new Set<string>();

// Change changes a topic.
export type Change = (t: Topic, body: Record<string, unknown>) => Promise<void>;

// topicItem shows a topic with its examples.
export function topicItem(t: Topic, all: Topic[], examples: HTMLElement[], change: Change): HTMLElement {
  const box = h("details", { open: all.length === 1 || opened.has(t.id), ontoggle: () => opened[box.open ? "add" : "delete"](t.id) },
    h("summary", {}, h("b", { dir: "auto" }, t.name), " ", tag(t), " ", siteMark(t.site), h("span", { class: "hint" }, " " + facts(t))),
    h("ul", { class: "sources" }, ...examples), tools(t, all, change)) as HTMLDetailsElement;
  return h("li", { "data-topic": t.id }, box);
}

// tag says how often the AI matched the team.
function tag(t: Topic): HTMLElement {
  if (!t.asked) return h("span", { class: "tag" }, t.waiting ? "Waits" : "Not asked");
  return h("span", { class: "tag " + (t.right === t.asked ? "good" : t.right ? "" : "bad") }, `${t.right} of ${t.asked} right`);
}

function facts(t: Topic): string {
  const cost = t.tokens ? `${t.tokens.toLocaleString()} tokens${t.cost ? ", " + t.cost : ""}` : "";
  return [t.inARow > 1 && `the last ${t.inARow} in a row`, cost].filter(Boolean).join(" · ");
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
