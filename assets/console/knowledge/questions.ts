// Questions that the AI could not answer, those that ask the same together, each with a field for the answer.

import { call } from "../net/api";
import { h } from "../ui/dom";
import { missing, type Fields } from "../ui/fields";
import { agoTime } from "../ui/format";
import { button, everywhere, feedback, labelled, section } from "../settings/settings";
import { several, siteMark } from "../state/sites";
import { state } from "../state/store";
import { mixed, plural } from "../ui/sentences";
import { tr } from "../ui/texts";

interface Question {
  id: string;
  question: string;
  // context is what the same visitor had asked before.
  context?: string;
  site?: string;
  count: number;
  sessionId: string;
  askedAt: string;
  alike?: Question[];
}

interface Proposal {
  question: Question;
  proposal: { title: string; text: string };
}

export interface Questions {
  node: HTMLElement;
  load(): Promise<void>;
}

// Run does something with a question and says what came of it.
type Run = (work: Promise<unknown>, done: string, fields?: Fields) => Promise<void>;

export function questionsSection(answered: () => void): Questions {
  const said = feedback();
  const list = h("ul", { class: "sources" });
  const none = h("p", { class: "hint", hidden: true }, tr("Nothing yet. Questions that the AI hands over to you appear here."));
  const node = section(tr("Could not be answered"),
    h("p", { class: "hint" }, tr("Write an answer once, and the AI will use it from then on.")),
    none, list, ...said.nodes);
  const heading = node.querySelector<HTMLElement>("h2");
  heading?.setAttribute("tabindex", "-1");

  const run: Run = async (work, done, fields = {}) => {
    try {
      await work;
      said.said(done);
      await load();
      heading?.focus();
      answered();
    } catch (error) {
      said.refused(error, fields);
    }
  };
  const load = async (): Promise<void> => {
    const answer = await call<{ questions: Question[] }>("GET", "/knowledge/questions");
    if (node.querySelector("form")?.contains(document.activeElement) && said.nodes[0]?.textContent === "") return;
    none.hidden = !!answer.questions.length;
    list.replaceChildren(...answer.questions.map((q) => item(q, run)));
  };
  return { node, load };
}

const link = (q: Question): HTMLElement => h("a", { href: "#/sessions/" + encodeURIComponent(q.sessionId) }, tr("Conversation"));

function item(q: Question, run: Run): HTMLLIElement {
  const alike = q.alike ?? [];
  const place = h("div", {});
  const write = async (): Promise<void> => {
    const open = place.firstChild;
    place.replaceChildren();
    if (open) return;
    const begun = await call<Proposal>("GET", "/knowledge/questions/" + q.id).catch(() => null);
    place.replaceChildren(answering(q, begun?.proposal.text ?? "", run));
    place.querySelector("input")?.focus();
  };
  const dismiss = (): Promise<void> => run(
    Promise.all([q, ...alike].map((one) => call("DELETE", "/knowledge/questions/" + one.id))), tr("Dismissed."));
  return h("li", {},
    h("p", { class: "source-head" }, h("b", { dir: "auto" }, q.question), siteMark(q.site)),
    q.context && h("p", { class: "hint", dir: "auto" }, tr("Before it: {context}", { context: q.context })),
    h("p", { class: "hint" }, ...(q.count === 1 ? mixed("Asked once, {time}.", { time: agoTime(q.askedAt) })
      : mixed(tr("Asked {count} times, last {time}.", { count: q.count }), { time: agoTime(q.askedAt) })), " ", link(q)),
    alike.length > 0 && h("details", {}, h("summary", {}, plural(alike.length, "{n} asks the same", "{n} ask the same")),
      h("ul", {}, ...alike.map((one) => h("li", {}, h("span", { dir: "auto" }, one.question), " ", link(one))))),
    h("div", { class: "buttons" },
      button(tr("Write an answer"), () => void write(), tr("Write an answer: {question}", { question: q.question })),
      button(tr("Dismiss"), () => void dismiss(), tr("Dismiss: {question}", { question: q.question }))),
    place);
}

// answering is the form in which an answer is edited before anything becomes a source.
function answering(q: Question, proposed: string, run: Run): HTMLElement {
  const text = h("textarea", { class: "input", rows: 4, maxlength: 200000, dir: "auto" }, proposed);
  const title = h("input", { class: "input", maxlength: 500, value: q.question, dir: "auto" });
  const site = h("select", { class: "input" }, everywhere && h("option", { value: "" }, tr("All websites")),
    ...state.sites.map((one) => h("option", { value: one.id }, one.name)));
  site.value = q.site ?? "";
  const too = (q.alike ?? []).map((one) => ({ id: one.id, box: h("input", { type: "checkbox", checked: true }), question: one.question }));
  const save = (e: Event): void => {
    e.preventDefault();
    if (missing([[title, tr("Write the question.")], [text, tr("Write the answer.")]])) return;
    const query = several() && site.value ? "?site=" + encodeURIComponent(site.value) : "";
    const answer = { title: title.value, text: text.value, alike: too.filter((one) => one.box.checked).map((one) => one.id) };
    void run(call("POST", "/knowledge/questions/" + q.id + "/answer" + query, answer),
      tr("Saved. The AI can answer it from now on."), { title, text });
  };
  return h("form", { onsubmit: save },
    labelled(tr("Question, without names and numbers: other visitors may read it"), title),
    labelled(tr("Answer"), text, proposed ? tr("This is what a person wrote in the conversation. Change what is not for everybody.")
      : undefined),
    several() && labelled(tr("For visitors of"), site),
    ...too.map((one) => h("label", { class: "check" }, one.box,
      h("span", { dir: "auto" }, " " + tr("It also answers “{question}”", { question: one.question })))),
    h("div", { class: "buttons" }, h("button", { type: "submit", class: "button main" }, tr("Save answer"))));
}
