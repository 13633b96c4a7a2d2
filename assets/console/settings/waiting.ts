// What happens while nobody answers: steps after some minutes, and the end of idle conversations.

import { h } from "../ui/dom";
import type { Control } from "./form";
import { button, labelled } from "./settings";

// Step is a step of the setting unanswered.
interface Step {
  after: number;
  do: string;
  text?: string;
}

interface Editor {
  node: HTMLElement;
  after: HTMLInputElement;
  get(): Step;
}

function editor(step: Step, remove: () => void): Editor {
  const after = h("input", { class: "input", type: "number", min: 1, max: 10080, step: 1, inputmode: "numeric" });
  const kind = h("select", { class: "input", onchange: () => (words.hidden = kind.value !== "tell") },
    h("option", { value: "ring" }, "Notify operators again"), h("option", { value: "tell" }, "Write to the visitor"));
  const text = h("textarea", { class: "input", rows: 2, maxlength: 1000,
    placeholder: "Thank you for waiting. We answer as soon as somebody is back." });
  const words = labelled("Text", text);
  after.value = String(step.after);
  kind.value = step.do;
  text.value = step.text ?? "";
  words.hidden = step.do !== "tell";
  const node = h("li", {}, labelled("Minutes without an answer", after), labelled("Then", kind), words,
    h("div", { class: "buttons" }, button("Remove step", remove)));
  return {
    node,
    after,
    get: () => ({ after: Number(after.value) || 0, do: kind.value, ...(kind.value === "tell" ? { text: text.value.trim() } : {}) }),
  };
}

// Steps edits the setting as a whole; problem is what is wrong with it.
export interface Steps extends Control {
  problem(): string;
}

export function steps(): Steps {
  const list = h("ul", { class: "rules" });
  const none = h("p", { class: "hint" }, "There are none yet.");
  let editors: Editor[] = [];
  const typed = (): void => {
    none.hidden = editors.length > 0;
    node.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const add = (step: Step): Editor => {
    const one = editor(step, () => {
      editors = editors.filter((e) => e !== one);
      one.node.remove();
      typed();
      more.focus();
    });
    editors.push(one);
    list.append(one.node);
    return one;
  };
  const more = button("Add a step", () => {
    add({ after: (editors.at(-1)?.get().after ?? 0) + 5, do: "ring" }).after.focus();
    typed();
  });
  const node = h("div", {}, list, none, more);
  return {
    node,
    get: () => editors.map((e) => e.get()),
    set(value) {
      editors = [];
      list.replaceChildren();
      for (const step of (value as Step[] | null) ?? []) add(step);
      none.hidden = editors.length > 0;
    },
    lock: (locked) => void (node.inert = locked),
    problem() {
      const all = editors.map((e) => e.get());
      if (all.some((step) => step.after < 1)) return "Enter after how many minutes, 1 or more.";
      if (all.some((step) => step.text === "")) return "Write the text for the visitor, or remove the step.";
      return all.some((step, i) => i > 0 && step.after < all[i - 1]!.after) ? "Put the steps into the order of their minutes." : "";
    },
  };
}
