// The small buttons of a channel's card.

import { ask } from "../../ui/ask";
import { h } from "../../ui/dom";
import type { Feedback } from "../settings";

export interface Press {
  text: string;
  // busy is what the button says while it works.
  busy: string;
  run(): Promise<void>;
  // question is asked before.
  question?(): string;
  id?: string;
  look?: string;
}

// press returns what makes a button that is about title, and works once it was confirmed, if it asks.
export function press(title: string, said: Feedback): (p: Press) => HTMLButtonElement {
  return ({ text, busy, run, question, id, look = "" }) => {
    const onclick = async (): Promise<void> => {
      if (!question || (await ask(question(), text))) await once(button, busy, said, run);
    };
    const button = h("button", { class: "button small" + look, id, "aria-label": text + " " + title, onclick }, text);
    return button;
  };
}

// once runs what a button does, once at a time, and shows what went wrong.
async function once(button: HTMLButtonElement, busy: string, said: Feedback, run: () => Promise<void>): Promise<void> {
  if (button.ariaDisabled === "true") return;
  const label = button.textContent ?? "";
  button.ariaDisabled = "true";
  button.textContent = busy;
  said.said("");
  try {
    await run();
  } catch (error) {
    said.refused(error);
  }
  button.ariaDisabled = null;
  button.textContent = label;
}
