// The first step of connecting: pasting the platform's tokens.

import { h, newTab } from "../../ui/dom";
import { mark, missing, type Refusal } from "../../ui/fields";
import { sentence } from "../../ui/format";
import type { BridgeKind, BridgeToken, Finding } from "../../types";
import { labelled, type Feedback, type Settings } from "../settings";
import type { Setup } from "./types";
import { known, tr } from "../../ui/texts";

export interface Tokens {
  token: string;
  appToken?: string;
}

export interface TokenStep {
  node: HTMLElement;
  // show marks the token that does not work, and returns the finding that says so.
  show(setup: Setup): Finding | undefined;
  refused(error: Refusal): void;
  clear(): void;
  know(settings: Settings): void;
}

// Entry is the field of a token.
interface Entry extends BridgeToken {
  input: HTMLInputElement;
}

// tokenStep calls submit with the tokens once they were entered.
export function tokenStep(kind: BridgeKind, said: Feedback, submit: (tokens: Tokens) => Promise<void>): TokenStep {
  const entries: Entry[] = kind.tokens.map((t) => ({ ...t, input: inputOf(t, () => pasted(t)) }));
  const [bot, app] = entries as [Entry, Entry?];
  const create = h("a", { class: "button", ...newTab }, tr("Create the app"));
  const made = h("div", { class: "field" }, create, h("p", { class: "hint" }, kind.make));
  const enter = h("button", { type: "submit", class: "button main" }, tr("Connect"));

  const connect = async (): Promise<void> => {
    if (missing(entries.map((e) => [e.input, tr("Paste the token here.")] as const))) return;
    if (enter.ariaDisabled === "true") return;
    enter.ariaDisabled = "true";
    said.said(tr("Asking {title}…", { title: kind.title }));
    await submit({ token: bot.input.value.trim(), appToken: app?.input.value.trim() });
    enter.ariaDisabled = null;
  };
  // pasted connects by itself once a whole token was pasted.
  const pasted = ({ whole }: BridgeToken): void => {
    said.said("");
    if (whole && new RegExp(whole).test(bot.input.value.trim())) void connect();
  };
  const onsubmit = (e: Event): void => {
    e.preventDefault();
    void connect();
  };
  return {
    node: h("form", { class: "step", novalidate: true, onsubmit }, !!kind.make && made,
      ...entries.map((e) => labelled(e.label, e.input, hintOf(e))), h("div", { class: "buttons" }, enter)),
    show({ step, link, findings }) {
      if (link) create.setAttribute("href", link);
      const wrong = step === "token" && bot.input.value
        ? findings.find((f) => f.level === "fail" && /token/.test(f.text)) : undefined;
      if (wrong) markWrong(app && /app/i.test(wrong.subject) ? app : bot, wrong);
      return wrong;
    },
    refused(error) {
      said.refused(withLooks(error, entries), Object.fromEntries(entries.map((e) => [e.setting, e.input])));
    },
    clear() {
      for (const e of entries) e.input.value = "";
    },
    know(settings) {
      bot.input.placeholder = String(settings[bot.setting] ?? "");
    },
  };
}

function inputOf({ placeholder }: BridgeToken, oninput: () => void): HTMLInputElement {
  return h("input", { class: "input code", type: "password", autocomplete: "off", spellcheck: "false", maxlength: 1004,
    required: true, placeholder, oninput });
}

// hintOf puts the link into a hint.
function hintOf({ hint, link }: BridgeToken): HTMLElement {
  const [before, after = ""] = hint.split("{link}");
  return h("p", { class: "hint" }, before, link && h("a", { href: link.url, ...newTab }, link.text), after);
}

// markWrong says at the field, whose hint says where to copy the token, what is wrong with it.
function markWrong({ input, looks }: Entry, { text }: Finding): void {
  mark(input, tr("{text}. Copy it again: {looks}", { text: sentence(known(text)), looks }));
  input.focus();
}

// withLooks says of a text that cannot be a token what one looks like.
function withLooks({ message, fields }: Refusal, entries: readonly Entry[]): Refusal {
  const told = { ...fields };
  for (const e of entries) if (told[e.setting]) told[e.setting] = e.wrong + " " + e.looks;
  return Object.assign(new Error(message), fields && { fields: told });
}
