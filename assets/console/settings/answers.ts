// Saved answers: the texts behind !name.

import { call } from "../net/api";
import { ask } from "../ui/ask";
import { h } from "../ui/dom";
import { missing } from "../ui/fields";
import { myId } from "../state/me";
import { ofSite, several, siteMark, siteName } from "../state/sites";
import { state } from "../state/store";
import type { SavedAnswer } from "../types";
import { kinds, titles } from "./kinds";
import type { Page } from "./page";
import { button, feedback, labelled, section } from "./settings";
import { mixed } from "../ui/sentences";
import { tr } from "../ui/texts";

// about says what they are for; where is the list of platforms.
const about = (where: HTMLElement): (Node | string)[] => [
  ...mixed("!name sends the text to the visitor: here, in {platforms}.", { platforms: where }), " ",
  tr("!save name text saves one from there, also as a reply to a message. {visitor.name}, {visitor.email} and " +
    "{operator.name} are replaced; {visitor.name|there} gives a default for an unknown name.")];

// path leads to an answer for the visitors of a website, or of all with "".
function path(name: string, site: string, own = false): string {
  const query = new URLSearchParams({ ...(site && { site }), ...(own && { own: "true" }) });
  return "/saved-answers/" + encodeURIComponent(name) + (query.size ? "?" + query : "");
}

// answerRow is one answer with its buttons.
const answerRow = (a: SavedAnswer, edit: (a: SavedAnswer) => void, remove: (a: SavedAnswer) => unknown): HTMLLIElement =>
  h("li", {}, h("b", {}, "!" + a.name), !!a.own && h("span", { class: "tag" }, tr("Yours")), siteMark(a.site),
    h("p", { dir: "auto" }, a.content),
    h("div", { class: "buttons" }, button(tr("Edit"), () => edit(a), tr("Edit !{name}", { name: a.name })),
      button(tr("Remove"), () => remove(a), tr("Remove !{name}", { name: a.name }))));

// Aim says for which website's visitors the text in the form is, "" for those of all: the chosen one's, or while an
// answer is edited that answer's.
interface Aim {
  node: HTMLElement;
  get(): string;
  edits(a?: SavedAnswer): void;
  draw(): void;
}

function aim(): Aim {
  const node = h("p", { class: "hint", hidden: true });
  let edited: SavedAnswer | undefined;
  const one: Aim = {
    node,
    get: () => (edited ? edited.site ?? "" : state.site),
    edits(a) {
      edited = a;
      one.draw();
    },
    draw() {
      node.hidden = !several();
      node.textContent = one.get() ? tr("For conversations of {site}.", { site: siteName(one.get()) })
        : tr("For conversations of all websites.");
    },
  };
  return one;
}

const fields = () => ({
  name: h("input", { class: "input", maxlength: 32, autocapitalize: "none", autocomplete: "off", spellcheck: "false",
    placeholder: tr("hours") }),
  content: h("textarea", { class: "input", rows: 3, maxlength: 40000, placeholder: tr("We are open from Monday to Friday, 9 to 17.") }),
  own: h("input", { type: "checkbox" }),
});

export function answersPage(): Page {
  const said = feedback();
  const { name, content, own } = fields();
  const list = h("ul", { class: "answers" });
  const target = aim();
  const where = h("span");
  const none = h("p", { class: "hint", hidden: true }, tr("Nothing is saved yet."));

  const load = async (): Promise<void> => {
    const { savedAnswers } = await call<{ savedAnswers: SavedAnswer[] }>("GET", "/saved-answers" + ofSite());
    none.hidden = !!savedAnswers.length;
    list.replaceChildren(...savedAnswers.map((a) => answerRow(a, edit, remove)));
    target.draw();
    where.textContent = titles(await kinds());
  };
  const edit = (a: SavedAnswer): void => {
    name.value = a.name;
    content.value = a.content;
    own.checked = !!a.own;
    target.edits(a);
    said.said("");
    content.focus();
  };
  const remove = async (a: SavedAnswer): Promise<void> => {
    if (!(await ask(tr("Remove the saved answer !{name}?", { name: a.name }), tr("Remove")))) return;
    await run(call("DELETE", path(a.name, a.site ?? "", a.own)), tr("!{name} is removed.", { name: a.name }));
    name.focus();
  };
  // run waits for a change and shows what came of it.
  const run = async (work: Promise<unknown>, done: string): Promise<boolean> => {
    try {
      await work;
      await load();
      said.said(done);
      return true;
    } catch (error) {
      said.refused(error, { name, content });
      return false;
    }
  };
  const submit = async (e: Event): Promise<void> => {
    e.preventDefault();
    const called = name.value.trim().replace(/^!/, "").toLowerCase();
    if (missing([[name, tr("Give the answer a name, like hours.")], [content, tr("Write the text that visitors get.")]])) return;
    const saving = call("PUT", path(called, target.get()), { content: content.value, own: own.checked });
    if (!(await run(saving, tr("Saved. !{called} sends it.", { called })))) return;
    name.value = content.value = "";
    own.checked = false;
    target.edits();
  };

  return {
    node: section(tr("Saved answers"),
      h("p", { class: "hint" }, ...about(where)), list, none,
      h("form", { novalidate: true, onsubmit: submit }, labelled(tr("Name"), name, tr("One word in lower-case letters, like hours.")),
        labelled(tr("Text"), content), target.node, myId ? h("label", { class: "check" }, own, tr("Only for me")) : "",
        h("div", { class: "buttons" }, h("button", { type: "submit", class: "button main" }, tr("Save answer")), ...said.nodes))),
    show: load,
  };
}
