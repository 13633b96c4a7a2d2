// Ask it something: what a visitor would read, what it rests on, and what became of each sentence.

import { call } from "../net/api";
import { h } from "../ui/dom";
import { feedback } from "./settings";
import { tr } from "../ui/texts";

interface Asked {
  passages: { title: string; url?: string; text: string }[];
  answer: string;
  handOver?: "asked" | "unsure" | "topic";
  topic?: string;
  sentences: { text: string; said: string; reason?: string; passage: number }[];
  tokens: number;
  error?: string;
  fix?: string;
}

export function asking(after: () => void): HTMLElement {
  const question = h("input", { class: "input", id: "ai-question", maxlength: "1000", placeholder: tr("Do you ship to France?"),
    dir: "auto" });
  const said = feedback();
  const answer = h("div", { "aria-live": "polite", id: "ai-asked" });
  const button = h("button", { class: "button small" }, tr("Ask"));
  const ask = async (): Promise<void> => {
    if (!question.value.trim() || button.ariaDisabled === "true") return;
    button.ariaDisabled = "true";
    answer.replaceChildren();
    said.said(tr("Waiting for the answer…"));
    try {
      answer.replaceChildren(...draw(await call<Asked>("POST", "/ai/ask", { question: question.value })));
      said.said("");
    } catch (error) {
      said.refused(error);
    }
    button.ariaDisabled = null;
    after();
  };
  return h("form", { onsubmit: (e: Event) => (e.preventDefault(), void ask()) },
    h("h3", {}, tr("Ask it something")),
    h("p", { class: "hint" }, tr("As a visitor would. Nobody else sees it; it counts in the day’s tokens.")),
    h("label", { class: "label", for: "ai-question" }, tr("Question")), question,
    h("div", { class: "buttons" }, button, ...said.nodes), answer);
}

function draw(a: Asked): HTMLElement[] {
  if (a.error) return [h("p", {}, a.error), h("p", { class: "hint" }, tr("What to do: {fix}", { fix: a.fix ?? "" }))];
  const over = a.handOver && {
    asked: tr("It hands over: the visitor wants a person."), unsure: tr("It hands over: it does not know."),
    topic: tr("It hands over: a person always answers “{topic}”.", { topic: a.topic }),
  }[a.handOver];
  return [
    ...(a.answer ? [h("blockquote", { dir: "auto" }, a.answer)] : []),
    ...(over ? [h("p", {}, over)] : []),
    ...(a.sentences.length ? [h("h4", {}, tr("Its sentences")), h("ul", {}, ...a.sentences.map(verdict))] : []),
    ...(a.passages.length
      ? [h("h4", {}, tr("What it was given")), h("ol", {}, ...a.passages.map(passage))]
      : [h("p", { class: "hint" }, tr("No passage has any of these words."))]),
  ];
}

function passage(p: Asked["passages"][number]): HTMLElement {
  return h("li", { dir: "auto" }, h("details", {}, h("summary", {}, p.title || tr("Text")), p.text));
}

// verdict is one sentence with what became of it.
function verdict(s: Asked["sentences"][number]): HTMLElement {
  const said = s.passage > 0 ? tr("Said by passage {n}", { n: s.passage }) : s.passage === 0 ? tr("Said by your instructions") : tr("Said");
  const good = !s.reason;
  const what = good ? said : s.said ? tr("In the page’s own words") : tr("Withheld");
  return h("li", { dir: "auto" }, s.text + " ", h("span", { class: "tag " + (good ? "good" : "bad") }, what),
    ...(s.reason ? [h("span", { class: "hint" }, " " + s.reason)] : []));
}
