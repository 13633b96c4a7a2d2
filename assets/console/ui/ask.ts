// Asking before what cannot be undone, and showing what went wrong.

import { byId, on, setText } from "./dom";
import { set } from "../state/store";
import type { View } from "../state/store";

// A failure stays for a while, a long answer for as long as it takes to read.
const toastShown = 7_000;
const toastLetter = 40;
let timer = 0;

// ask resolves to true when the operator confirms.
export function ask(text: string, action: string): Promise<boolean> {
  const dialog = byId<HTMLDialogElement>("ask");
  setText("ask-text", text);
  setText("ask-yes", action);
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.onclose = () => resolve(dialog.returnValue === "yes");
  });
}

// toastView shows a failure, or relay's answer to a command, for a while.
export const toastView: View = ({ failure }, before) => {
  if (failure === before.failure) return;
  setText("toast-text", failure);
  byId("toast").hidden = !failure;
  clearTimeout(timer);
  timer = setTimeout(hide, toastShown + failure.length * toastLetter);
};

function hide(): void {
  set({ failure: "" });
}

export function wireToast(): void {
  on("toast-close", "click", hide);
}
