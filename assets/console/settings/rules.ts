// A list of cards, each of which edits one rule of a setting: greetings, steps.

import { h } from "../ui/dom";
import type { Control } from "./form";
import { button } from "./settings";
import { tr } from "../ui/texts";

// Editor is the card of one rule.
export interface Editor<Rule> {
  node: HTMLElement;
  // first is the field in which a new one is begun.
  first: HTMLElement;
  get(): Rule;
}

// Moves are what the buttons of a card do with it.
export interface Moves {
  remove(): void;
  // up puts it before the one above.
  up(): void;
}

export interface Rules extends Control {
  // problem returns what is wrong with the list, "" for nothing.
  problem(): string;
}

interface Options<Rule> {
  // more is the button that adds a rule, and fresh is what it adds behind the others.
  more: string;
  fresh(others: Rule[]): Rule;
  editor(rule: Rule, moves: Moves): Editor<Rule>;
  problem(rules: Rule[]): string;
}

export function rules<Rule>({ more, fresh, editor, problem }: Options<Rule>): Rules {
  const list = h("ul", { class: "rules" });
  const none = h("p", { class: "hint" }, tr("There are none yet."));
  let editors: Editor<Rule>[] = [];
  const all = (): Rule[] => editors.map((e) => e.get());
  const add = (rule: Rule): Editor<Rule> => {
    const one = editor(rule, {
      remove() {
        editors = editors.filter((e) => e !== one);
        one.node.remove();
        typed();
        adds.focus();
      },
      up() {
        const at = editors.indexOf(one);
        if (!at) return;
        const focused = document.activeElement as HTMLElement;
        editors.splice(at - 1, 2, one, editors[at - 1]!);
        editors[at]!.node.before(one.node);
        focused.focus(); // moving it took the focus away
        typed();
      },
    });
    editors.push(one);
    list.append(one.node);
    return one;
  };
  const typed = (): void => {
    none.hidden = editors.length > 0;
    node.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const adds = button(more, () => {
    add(fresh(all())).first.focus();
    typed();
  });
  const node = h("div", {}, list, none, adds);
  return {
    node,
    get: all,
    set(value) {
      editors = [];
      list.replaceChildren();
      for (const rule of (value as Rule[] | null) ?? []) add(rule);
      none.hidden = editors.length > 0;
    },
    lock: (locked) => void (node.inert = locked),
    problem: () => problem(all()),
  };
}
