// Rehearsal: what the AI would have said to questions that people answered, beside what they said.

import { call } from "../net/api";
import { siteMark } from "../state/sites";
import { h } from "../ui/dom";
import { sentence } from "../ui/format";
import { topicItem, type Change, type Topic } from "./rehearsaltopics";
import { button, feedback } from "./settings";

type Verdict = "same" | "differs" | "unclear" | "handover" | "failed";

interface Rehearsed {
  id: string;
  sessionId: string;
  site?: string;
  question: string;
  answered: string;
  said: string;
  verdict?: Verdict;
  reason?: string;
  beforeSaid?: string;
  beforeVerdict?: Verdict;
  judged?: "good" | "wrong";
  waiting?: boolean;
  askedAt: string;
  topicId?: string;
}

interface State {
  waiting: number;
  counts: Partial<Record<Verdict, number>>;
  right: number;
  worse: number;
  better: number;
  tokens: number;
  cost?: string;
  topics: Topic[];
  changed: { page: string; asked: number; worse: number }[];
  rehearsals: Rehearsed[];
}

const words: Record<Verdict, [text: string, tag: string]> = {
  same: ["As you answered", "good"], differs: ["Differs", "bad"], unclear: ["Have a look", ""],
  handover: ["Hands over", ""], failed: ["No answer", "bad"],
};

// first come those that a person has to look at.
const order: Verdict[] = ["differs", "failed", "unclear", "handover", "same"];

export function rehearsal(after: () => void): { node: HTMLElement; load(): Promise<void> } {
  const said = feedback();
  const sum = h("p", { id: "rehearsal-sum" });
  const list = h("ul", { class: "sources", id: "rehearsed" });
  let poll = 0;

  const load = async (): Promise<void> => {
    clearTimeout(poll);
    const at = await call<State>("GET", "/ai/rehearsal").catch(() => null);
    if (!at || !node.isConnected) return;
    stop.hidden = !at.waiting;
    sum.textContent = told(at);
    const shown = at.rehearsals.filter((r) => r.verdict);
    shown.sort((a, b) => order.indexOf(a.verdict!) - order.indexOf(b.verdict!));
    const examples = (t: Topic): HTMLElement[] => shown.filter((r) => r.topicId === t.id).map((r) => item(r, judge));
    const topics = at.topics.filter((t) => t.asked || t.waiting);
    if (!busy()) list.replaceChildren(...topics.map((t) => topicItem(t, at.topics, examples(t), change)));
    if (at.waiting) poll = window.setTimeout(() => void load(), 2000);
    after();
  };
  // busy is while somebody writes in the list; a summary that was pressed keeps the focus, and does not count.
  const busy = (): boolean => list.contains(document.activeElement) && !document.activeElement?.matches("summary");
  const send = async (path: string, body: Record<string, unknown>): Promise<void> => {
    (document.activeElement as HTMLElement | null)?.blur();
    await call("PATCH", "/ai/" + path, body).catch((error) => said.refused(error));
    await load();
  };
  const judge = (r: Rehearsed, judged: string | null): Promise<void> => send("rehearsal/" + r.id, { judged });
  const change: Change = (t, body) => send("topics/" + t.id, body);
  const begin = async (): Promise<void> => {
    said.said("");
    try {
      const plan = await call<{ questions: number; tokens: number; cost?: string }>("POST", "/ai/rehearsal", { dryRun: true });
      if (!plan.questions) return said.said("Nobody has answered a question yet.");
      const cost = "about " + plan.tokens.toLocaleString() + " tokens" + (plan.cost ? ", " + plan.cost : "");
      const many = plan.questions === 1 ? "1 question" : plan.questions + " questions";
      ask.replaceChildren(
        h("p", {}, `It answers ${many}: ${cost}. Nothing is shown to visitors.`),
        h("div", { class: "buttons" }, button("Begin", () => void go()), button("Not now", () => ask.replaceChildren())));
    } catch (error) {
      said.refused(error);
    }
  };
  const go = async (): Promise<void> => {
    ask.replaceChildren();
    await call("POST", "/ai/rehearsal", {}).catch((error) => said.refused(error));
    await load();
  };
  const ask = h("div", { "aria-live": "polite" });
  const stop = button("Stop", () => void call("DELETE", "/ai/rehearsal").then(load, (error) => said.refused(error)));
  const node = h("div", { id: "rehearsal" },
    h("h3", {}, "Rehearsal"),
    h("p", { class: "hint" }, "The AI answers what your team has answered already, and you see where it differs: before it goes live, " +
      "and after each change of its model, its instructions or your pages. A rehearsal uses at most half of the day’s tokens. " +
      "An AI that rehearses beside you earns a topic with ten right answers in a row, and answers it by itself once you agree."),
    h("div", { class: "buttons" }, button("Rehearse", () => void begin()), stop, ...said.nodes), ask, sum, list);
  stop.hidden = true;
  return { node, load };
}

// told is how far it is, and what came of it.
function told(at: State): string {
  const done = at.rehearsals.filter((r) => r.verdict).length;
  if (!done) return at.waiting ? `${at.waiting} questions wait.` : "";
  const parts = order.filter((v) => at.counts[v]).map((v) => `${words[v][0].toLowerCase()}: ${at.counts[v]}`);
  const since = at.better || at.worse ? ` Since the time before, ${at.better} became better and ${at.worse} worse.` : "";
  const cost = at.tokens ? ` It took ${at.tokens.toLocaleString()} tokens${at.cost ? ", " + at.cost : ""}.` : "";
  const pages = at.changed
    .map((c) => ` “${c.page}” changed: ${c.worse} of ${c.asked} answers that rested on it became worse.`).join("");
  return `Right: ${at.right} of ${done} (${parts.join(", ")}).${since}${pages}${cost}${at.waiting ? ` ${at.waiting} are left.` : ""}`;
}

function item(r: Rehearsed, judge: (r: Rehearsed, judged: string | null) => Promise<void>): HTMLElement {
  const [text, tag] = words[r.verdict!];
  const before = r.beforeVerdict && r.beforeVerdict !== r.verdict && words[r.beforeVerdict][0];
  const choice = (value: "good" | "wrong", label: string): HTMLElement => {
    const one = button(label, () => void judge(r, r.judged === value ? null : value), label + ": " + r.question);
    one.ariaPressed = String(r.judged === value);
    one.classList.toggle("main", r.judged === value);
    return one;
  };
  return h("li", {},
    h("p", { class: "source-head" },
      h("b", { dir: "auto" }, r.question), " ", h("span", { class: "tag " + tag }, text), " ", siteMark(r.site)),
    h("p", { class: "hint" }, ...[r.reason, before && "before: " + before].filter(Boolean).map((why) => sentence(String(why)) + ". "),
      h("a", { href: "#/sessions/" + encodeURIComponent(r.sessionId) }, "Conversation")),
    h("p", { dir: "auto" }, h("b", {}, "A person: "), r.answered),
    h("p", { dir: "auto" }, h("b", {}, "The AI: "), r.said || "hands over"),
    r.said !== "" && h("div", { class: "buttons" }, choice("good", "As good"), choice("wrong", "Wrong")));
}
