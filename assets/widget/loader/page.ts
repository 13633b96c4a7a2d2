// page.ts is what few pages ask of the loader: a place in the page, buttons of their own,
// files that are there before the chat is opened, messages that begin a conversation, and a
// word about a second snippet that has another key.

import type { Widget } from "./api";
import { keep } from "./inline";
import type { SavedSession, Shell } from "../types";

/** start follows the options as long as the widget is in the page. */
export function start(shell: Shell, widget: Widget): void {
  const { options, element, part, storage } = shell;
  if (!element.isConnected) return; // destroyed before this file came
  const inline = options.mode === "inline";
  if (inline) keep(shell, widget);
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  if (isOn(options.prefetch) && !connection?.saveData) {
    for (const file of [CORE_FILE, PANEL_FILE]) part(file).catch(() => {});
  }
  if (isOn(options.proactive) && !inline && !widget.open && !storage.get<SavedSession>("session")?.live) {
    part<typeof import("../attention/proactive")>(PROACTIVE_FILE).then((m) => m.start(shell, widget.parts.core), () => {});
  }
  const link = location.hash.match(/^#relay-chat=(.+)/)?.[1];
  if (link) {
    history.replaceState(history.state, "", location.pathname + location.search);
    shell.open();
    widget.parts.core().then((core) => core.method("resume", link)).catch(() => {});
  }
  for (const { dataset } of document.querySelectorAll<HTMLElement>("script[data-api-key]")) {
    if (dataset.apiKey !== options.apiKey) console.warn("relay: this page has a chat with another key than", dataset.apiKey);
  }
  const { launcherSelector } = options;
  if (!launcherSelector) return;
  const onClick = (e: Event) => {
    if (!element.isConnected) return removeEventListener("click", onClick);
    if (!(e.target as Element).closest?.(launcherSelector)) return;
    e.preventDefault();
    if (widget.open) shell.close();
    else shell.open();
  };
  addEventListener("click", onClick);
}

/** isOn reads an option that may be an attribute, where an empty one means yes. */
function isOn(option: unknown): boolean {
  return option != null && String(option) !== "false";
}
