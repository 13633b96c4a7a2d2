// Rehearsal: what the AI would have said to questions that people answered, beside what they said.

import { call } from "../net/api";
import { siteMark } from "../state/sites";
import { h } from "../ui/dom";
import { sentence } from "../ui/format";
import { topicItem, type Change, type Topic } from "./rehearsaltopics";
import { button, feedback } from "./settings";
import { lowered, plural } from "../ui/sentences";
import { tr } from "../ui/texts";

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
  same: [tr("As you answered"), "good"], differs: [tr("Differs"), "bad"], unclear: [tr("Have a look"), ""],
  handover: [tr("Hands over"), ""], failed: [tr("No answer"), "bad"],
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
      if (!plan.questions) return said.said(tr("Nobody has answered a question yet."));
      const cost = tr("about {tokens} tokens", { tokens: plan.tokens }) + (plan.cost ? ", " + plan.cost : "");
      const many = plural(plan.questions, "{n} question", "{n} questions");
      ask.replaceChildren(
        h("p", {}, tr("It answers {many}: {cost}. Nothing is shown to visitors.", { many, cost })),
        h("div", { class: "buttons" }, button(tr("Begin"), () => void go()), button(tr("Not now"), () => ask.replaceChildren())));
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
  const stop = button(tr("Stop"), () => void call("DELETE", "/ai/rehearsal").then(load, (error) => said.refused(error)));
  const node = h("div", { id: "rehearsal" },
    h("h3", {}, tr("Rehearsal")),
    h("p", { class: "hint" }, tr("The AI answers what your team has answered already, and you see where it differs: before it goes live, " +
      "and after each change of its model, its instructions or your pages. A rehearsal uses at most half of the day’s tokens. " +
      "An AI that rehearses beside you earns a topic with right answers in a row, and answers it by itself once you agree.")),
    h("div", { class: "buttons" }, button(tr("Rehearse"), () => void begin()), stop, ...said.nodes), ask, sum, list);
  stop.hidden = true;
  return { node, load };
}

// told is how far it is, and what came of it.
function told(at: State): string {
  const done = at.rehearsals.filter((r) => r.verdict).length;
  if (!done) return at.waiting ? tr("{waiting} questions wait.", { waiting: at.waiting }) : "";
  const parts = order.filter((v) => at.counts[v]).map((v) => lowered(words[v][0]) + ": " + at.counts[v]);
  const since = at.better || at.worse ? " " +
    tr("Since the time before, {better} became better and {worse} worse.", { better: at.better, worse: at.worse }) : "";
  const cost = at.tokens ? " " +
    (at.cost ? tr("It took {tokens} tokens, {cost}.", { tokens: at.tokens, cost: at.cost })
      : tr("It took {tokens} tokens.", { tokens: at.tokens })) : "";
  const pages = at.changed
    .map((c) => " " + tr("“{page}” changed: {worse} of {asked} answers that rested on it became worse.",
      { page: c.page, worse: c.worse, asked: c.asked })).join("");
  return tr("Right: {right} of {done} ({parts}).", { right: at.right, done, parts: parts.join(", ") }) + since + pages + cost +
    (at.waiting ? " " + tr("{waiting} are left.", { waiting: at.waiting }) : "");
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
    h("p", { class: "hint" }, ...[r.reason, before && tr("before: {before}", { before })].filter(Boolean).map((why) =>
      sentence(String(why)) + ". "),
      h("a", { href: "#/sessions/" + encodeURIComponent(r.sessionId) }, tr("Conversation"))),
    h("p", { dir: "auto" }, h("b", {}, tr("A person:") + " "), r.answered),
    h("p", { dir: "auto" }, h("b", {}, tr("The AI:") + " "), r.said || tr("hands over")),
    r.said !== "" && h("div", { class: "buttons" }, choice("good", tr("As good")), choice("wrong", tr("Wrong"))));
}
