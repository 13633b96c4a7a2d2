// Trying a question: the passages that the AI would get for it.

import { call } from "../net/api";
import { h, newTab } from "../ui/dom";
import { missing } from "../ui/fields";
import { feedback, labelled, section } from "../settings/settings";
import { ofSite } from "../state/sites";
import { tr } from "../ui/texts";

interface Passage {
  title: string;
  url?: string;
  text: string;
}

export function trySection(): HTMLElement {
  const said = feedback();
  const question = h("input", { class: "input", maxlength: 500, autocomplete: "off", placeholder: tr("Do you ship to France?") });
  const found = h("ol", { class: "sources", "aria-label": tr("Passages") });
  const submit = async (e: Event): Promise<void> => {
    e.preventDefault();
    if (missing([[question, tr("Type a question.")]])) return;
    try {
      const { passages } = await call<{ passages: Passage[] }>("GET", "/knowledge/search" +
        ofSite({ q: question.value.trim() }));
      said.said(passages.length ? "" : tr("No passage has any of these words."));
      found.replaceChildren(...passages.map((p) => h("li", {},
        h("p", { class: "source-head" }, h("b", { dir: "auto" }, p.title)),
        !!p.url && h("p", { class: "hint" }, h("a", { href: p.url, ...newTab }, p.url)),
        h("p", { class: "passage", dir: "auto" }, p.text))));
    } catch (error) {
      said.refused(error, { q: question });
    }
  };
  return section(tr("Try a question"),
    h("form", { novalidate: true, onsubmit: submit }, labelled(tr("Question"), question, tr("Shows the passages that the AI would use.")),
      h("div", { class: "buttons" }, h("button", { type: "submit", class: "button" }, tr("Find passages")), ...said.nodes)), found);
}
