// Keyboard shortcuts for the whole console; fields handle their own keys.

import { byId, on } from "../ui/dom";
import { focusRow, rowTools } from "../inbox/list";
import { note } from "../inbox/write";
import { attempt, state } from "../state/store";
import { tr } from "../ui/texts";

// step selects a neighbour in the list and moves the focus with it.
function step(by: number): void {
  const { order, selected } = state;
  const at = order.indexOf(selected);
  const place = at < 0 ? 0 : Math.min(Math.max(at + by, 0), order.length - 1);
  if (!order[place]) return;
  location.hash = "#/sessions/" + order[place];
  focusRow(order[place]);
}

async function help(): Promise<void> {
  (await attempt(import("./help"), tr("The list could not be loaded")))?.showHelp();
}

async function palette(): Promise<void> {
  (await attempt(import("./palette"), tr("The commands could not be loaded")))?.showPalette();
}

// isForRows reports whether a key selects rows, or acts on those that are selected.
const isForRows = (key: string, shift: boolean): boolean =>
  /[ux]/.test(key) || (key === "e" && !!state.picked?.length) || (shift && /[jk]/.test(key));

function pressed(e: KeyboardEvent, escape: () => void): void {
  const target = e.target as HTMLElement;
  const inField = /^(INPUT|TEXTAREA)$/.test(target.tagName);
  const key = byId("rows").contains(target) ? e.key.replace("ArrowDown", "j").replace("ArrowUp", "k") : e.key;
  if (e.altKey || e.isComposing || document.querySelector("dialog[open]")) return;
  if (e.ctrlKey || e.metaKey) {
    if (key !== "k" || e.shiftKey) return;
    e.preventDefault();
    return void palette();
  }
  if (key === "Escape") return inField ? target.blur() : escape();
  if (inField || state.page || !/^[jkrneux/?]$/.test(key)) return;
  e.preventDefault();
  if (isForRows(key, e.shiftKey)) void rowTools().then((part) => part?.rowKey(key));
  else if (key === "j") step(1);
  else if (key === "k") step(-1);
  else if (key === "/") byId("search").focus();
  else if (key === "?") void help();
  else if (key === "e") byId("thread-verb").click();
  else {
    if (key === "n") note(true);
    byId("composer").focus();
  }
}

export function wireKeys(escape: () => void): void {
  document.addEventListener("keydown", (e) => pressed(e, escape));
  on("find", "click", palette);
}
