// A button that tries what a form sets, after saving what was changed, and shows what came of it.

import { h } from "../ui/dom";
import type { Form } from "./form";
import { feedback } from "./settings";
import { lowered } from "../ui/sentences";
import { tr } from "../ui/texts";

interface Options {
  form: Form;
  // id is the button's, answer that of the place for what came of it.
  id?: string;
  answer?: string;
  small?: boolean;
  // label is the button's, which may change, and while it is waited for.
  label: string | (() => string);
  waiting: string;
  // run tries, and draws what came of it.
  run(): Promise<Node[]>;
  // after is called when a try has ended.
  after?(): void;
}

export function testing({ form, id, answer: answerId, small, label, waiting, run, after }: Options) {
  const said = feedback();
  const name = (): string => (typeof label === "string" ? label : label());
  const answer = h("div", { "aria-live": "polite", ...(answerId && { id: answerId }) });
  const test = h("button", { class: small ? "button small" : "button", onclick: () => void ask(), ...(id && { id }) }, name());
  const changed = (): boolean => !!Object.keys(form.changes()).length;
  const ask = async (): Promise<void> => {
    if (test.ariaDisabled === "true" || (changed() && !(await form.save()))) return;
    test.ariaDisabled = "true";
    answer.replaceChildren();
    said.said(waiting);
    try {
      answer.replaceChildren(...(await run()));
      said.said("");
    } catch (error) {
      said.refused(error);
    }
    test.ariaDisabled = null;
    after?.();
  };
  return {
    nodes: [h("div", { class: "buttons" }, test, ...said.nodes), answer],
    // draw says whether something is saved before.
    draw: () => void (test.textContent = changed() ? tr("Save and {verb}", { verb: lowered(name()) })
      : name()),
    forget: () => answer.replaceChildren(),
  };
}
