// Questions that the AI could not answer, each with a field for the answer.

import { call } from "../net/api";
import { h } from "../ui/dom";
import { missing, type Fields } from "../ui/fields";
import { agoTime } from "../ui/format";
import { button, feedback, labelled, section } from "../settings/settings";
import { ofSite } from "../state/sites";

interface Question {
  id: string;
  question: string;
  count: number;
  sessionId: string;
  askedAt: string;
}

export interface Questions {
  node: HTMLElement;
  load(): Promise<void>;
}

export function questionsSection(answered: () => void): Questions {
  const said = feedback();
  const list = h("ul", { class: "sources" });
  const none = h("p", { class: "hint", hidden: true }, "Nothing yet. Questions that the AI hands over to you appear here.");
  const node = section("Could not be answered", h("p", { class: "hint" }, "Write an answer once, and the AI will use it from then on."),
    none, list, ...said.nodes);
  const heading = node.querySelector<HTMLElement>("h2");
  heading?.setAttribute("tabindex", "-1");

  const run = async (work: Promise<unknown>, done: string, fields: Fields = {}): Promise<void> => {
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
  const item = (q: Question): HTMLLIElement => {
    const text = h("textarea", { class: "input", rows: 3, maxlength: 200000 });
    const asked = h("input", { class: "input", maxlength: 500, value: q.question, dir: "auto" });
    const form = h("form", {
      hidden: true,
      onsubmit(e: Event) {
        e.preventDefault();
        if (missing([[asked, "Write the question."], [text, "Write the answer."]])) return;
        void run(call("POST", "/knowledge/questions/" + q.id + "/answer" + ofSite(), { title: asked.value, text: text.value }),
          "Saved. The AI can answer it from now on.", { title: asked, text });
      },
    }, labelled("Question, without names and numbers: other visitors may read it", asked), labelled("Answer", text),
      h("div", { class: "buttons" }, h("button", { type: "submit", class: "button main" }, "Save answer")));
    const write = (): void => {
      form.hidden = !form.hidden;
      if (!form.hidden) asked.focus();
    };
    return h("li", {},
      h("p", { class: "source-head" }, h("b", { dir: "auto" }, q.question)),
      h("p", { class: "hint" }, (q.count === 1 ? "Asked once, " : "Asked " + q.count + " times, last ") , agoTime(q.askedAt), ". ",
        h("a", { href: "#/sessions/" + encodeURIComponent(q.sessionId) }, "Conversation")),
      h("div", { class: "buttons" }, button("Write an answer", write, "Write an answer: " + q.question),
        button("Dismiss", () => run(call("DELETE", "/knowledge/questions/" + q.id), "Dismissed."), "Dismiss: " + q.question)),
      form);
  };
  const load = async (): Promise<void> => {
    const answer = await call<{ questions: Question[] }>("GET", "/knowledge/questions");
    if (node.querySelector("form:not([hidden])")?.contains(document.activeElement) && said.nodes[0]?.textContent === "") return;
    none.hidden = !!answer.questions.length;
    list.replaceChildren(...answer.questions.map(item));
  };
  return { node, load };
}
