// Greetings: the proactive messages, which the widget shows by itself.

import { h } from "../ui/dom";
import { form } from "./form";
import type { Page } from "./page";
import { rules, type Editor, type Moves } from "./rules";
import { button, labelled, section } from "./settings";
import { mixed } from "../ui/sentences";
import { tr } from "../ui/texts";

// Rule is a proactive message as the admin API has it.
interface Rule {
  id: string;
  text: string;
  texts?: Record<string, string>;
  pages: string[];
  seconds: number;
  exitIntent: boolean;
  onlyOnline: boolean;
  disabled?: boolean;
}

function editor(rule: Rule, { remove }: Moves): Editor<Rule> {
  const text = h("textarea", { class: "input", rows: 2, maxlength: 500, placeholder: tr("Questions about our prices?") });
  const pages = h("input", { class: "input", autocomplete: "off", spellcheck: "false", placeholder: "/pricing*, /shop/*" });
  const seconds = h("input", { class: "input", type: "number", min: 0, max: 3600, step: 1, inputmode: "numeric" });
  const box = (checked: boolean) => {
    const node = h("input", { type: "checkbox" });
    node.checked = checked;
    return node;
  };
  const exit = box(rule.exitIntent);
  const online = box(rule.onlyOnline);
  const shown = box(!rule.disabled);
  const tick = (node: HTMLElement, label: string) => h("label", { class: "check" }, node, " " + label);
  text.value = rule.text;
  pages.value = (rule.pages ?? []).join(", ");
  seconds.value = String(rule.seconds ?? 0);
  const node = h("li", {},
    labelled(tr("Message"), text),
    labelled(tr("Pages"), pages, tr("Paths, separated by commas; * matches any text. Empty: every page.")),
    labelled(tr("Seconds on the page"), seconds),
    tick(exit, tr("Only when the pointer leaves the page at the top")),
    tick(online, tr("Only while somebody is online")),
    tick(shown, tr("On")),
    h("div", { class: "buttons" }, button(tr("Remove message"), remove)));
  return {
    node,
    first: text,
    get: () => ({
      id: rule.id,
      text: text.value.trim(),
      ...(rule.texts ? { texts: rule.texts } : {}),
      pages: pages.value.split(",").map((page) => page.trim()).filter(Boolean),
      seconds: Number(seconds.value) || 0,
      exitIntent: exit.checked,
      onlyOnline: online.checked,
      ...(shown.checked ? {} : { disabled: true }),
    }),
  };
}

const newId = (): string => Array.from(crypto.getRandomValues(new Uint8Array(5)), (byte) => byte.toString(16).padStart(2, "0")).join("");

export function greetingsPage(): Page {
  const messages = rules<Rule>({
    more: tr("Add a message"),
    fresh: () => ({ id: newId(), text: "", pages: [], seconds: 20, exitIntent: false, onlyOnline: true }),
    editor,
    problem: (all) => (all.some((rule) => !rule.text) ? tr("Write the message, or remove it.") : ""),
  });
  const all = form([
    { name: "proactive", label: tr("Messages that come by themselves"), control: messages, check: () => messages.problem(),
      hint: h("p", {}, ...mixed("They appear beside the button on pages whose snippet has {attribute}. Once a message is saved, " +
        "the snippet under Widget has it; add it where yours is in place already. Each is shown at most once, " +
        "none after the visitor has put one away or written. The browser decides; nothing is recorded.",
        { attribute: h("code", {}, "data-proactive") })) },
  ]);
  return { node: section(tr("Proactive messages"), all.node), form: all };
}
