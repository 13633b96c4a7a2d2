// Asking before what cannot be undone, and telling what went wrong.

import { byId, setText } from "./dom";
import { set } from "./store";
import type { View } from "./store";

const toastShown = 7_000;
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
  setText("toast", failure);
  byId("toast").hidden = !failure;
  clearTimeout(timer);
  timer = setTimeout(() => set({ failure: "" }), toastShown);
};
