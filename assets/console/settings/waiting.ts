// What happens while nobody answers: steps after some minutes.

import { h } from "../ui/dom";
import { rules, type Editor, type Moves, type Rules } from "./rules";
import { button, labelled } from "./settings";
import { tr } from "../ui/texts";

// Step is a step of the setting unanswered.
interface Step {
  after: number;
  do: string;
  text?: string;
  to?: string;
}

function editor(step: Step, { remove }: Moves): Editor<Step> {
  const after = h("input", { class: "input", type: "number", min: 1, max: 10080, step: 1, inputmode: "numeric" });
  const kind = h("select", { class: "input", onchange: () => draw() },
    h("option", { value: "ring" }, tr("Notify operators again")), h("option", { value: "tell" }, tr("Write to the visitor")),
    h("option", { value: "mail" }, tr("Send an e-mail to the team")), h("option", { value: "ai" }, tr("Let the AI answer")));
  const text = h("textarea", { class: "input", rows: 2, maxlength: 1000,
    placeholder: tr("Thank you for waiting. We answer as soon as somebody is back.") });
  const words = labelled(tr("Text"), text);
  const to = h("input", { class: "input", type: "email", maxlength: 254, placeholder: "team@shop.example" });
  const address = labelled(tr("To"), to, tr("It needs a mail server: see E-mail."));
  const draw = (): void => {
    words.hidden = kind.value !== "tell";
    address.hidden = kind.value !== "mail";
  };
  after.value = String(step.after);
  kind.value = step.do;
  text.value = step.text ?? "";
  to.value = step.to ?? "";
  draw();
  const node = h("li", {}, labelled(tr("Minutes without an answer"), after), labelled(tr("Then"), kind), words, address,
    h("div", { class: "buttons" }, button(tr("Remove step"), remove)));
  return {
    node,
    first: after,
    get: () => ({
      after: Number(after.value) || 0, do: kind.value,
      ...(kind.value === "tell" && { text: text.value.trim() }), ...(kind.value === "mail" && { to: to.value.trim() }),
    }),
  };
}

// steps edits the setting as a whole.
export function steps(): Rules {
  return rules<Step>({
    more: tr("Add a step"),
    fresh: (others) => ({ after: (others.at(-1)?.after ?? 0) + 5, do: "ring" }),
    editor,
    problem(all) {
      if (all.some((step) => step.after < 1)) return tr("Enter after how many minutes, 1 or more.");
      if (all.some((step) => step.text === "")) return tr("Write the text for the visitor, or remove the step.");
      if (all.some((step) => step.to === "")) return tr("Enter whom to send the e-mail to, or remove the step.");
      return all.some((step, i) => i > 0 && step.after < all[i - 1]!.after) ? tr("Put the steps into the order of their minutes.") : "";
    },
  });
}
