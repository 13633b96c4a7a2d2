// loader.ts is widget.js, the one file that every page view loads: launcher
// button, call queue, and a look into storage. For a new visitor it calls no
// API and loads nothing more before the chat is opened.

import { createLauncher, type View } from "./launcher";
import { json } from "./json";
import { createStorage } from "./storage";
import { auto, readOptions, type Given } from "./options";
import type { Look, SavedSession, Shell } from "../types";
import { createLoad, createParts } from "./parts";
import { createEvents, type Events } from "./events";
import { install, type Widget } from "./api";

/** createWidget puts a widget into the page; it is quiet until it is needed. */
function createWidget({ emit }: Events, given?: Given): Widget {
  const options = readOptions(given);
  const storage = createStorage(options.apiKey);
  const tab = createStorage(options.apiKey, "sessionStorage");
  const launcher = createLauncher(options, () => (widget.open ? shell.close() : shell.open()));
  const { element, root } = launcher;
  const refresh = (view: Partial<View>) => launcher.update(Object.assign(widget, view));

  const shell: Shell = {
    options, storage, tab, element, root, emit, json, button: launcher.button, part: createLoad(),
    open(focus = true) {
      if (widget.open) return;
      refresh({ open: true, broken: false });
      element.hidden = false; // after hide()
      tab.set("open", true);
      emit("open");
      parts.panel().then(
        () => parts.running?.setOpen(widget.open, focus),
        (error) => {
          if (!error) return; // the widget is gone
          refresh({ open: false, broken: true });
          emit("error", { message: "Chat could not be loaded", error });
        },
      );
    },
    close() {
      tab.set("open", null); // also what would open it again on this page
      if (!widget.open) return;
      refresh({ open: false });
      parts.running?.setOpen(false, false);
      emit("close");
    },
    setLook(look) {
      storage.set("look", look);
      launcher.setLook(look);
    },
    setUnread(unread) {
      if (unread === widget.unread) return;
      widget.unread = unread;
      emit("unread", unread);
    },
  };
  const parts = createParts(shell);
  const widget: Widget = {
    open: false,
    unread: 0,
    broken: false,
    shell,
    parts,
    destroy(reason) {
      parts.drop(reason);
      element.remove();
    },
  };
  launcher.setLook(storage.get<Look>("look"));
  refresh({});
  whenIdle(() => element.isConnected && resume(shell, widget), { timeout: 2000 });
  return widget;
}

/** resume goes on where the page before was left, and loads what this page asks for. */
function resume(shell: Shell, widget: Widget): void {
  const { options, storage, tab } = shell;
  // An open chat stays open over page changes, unless it covers the page.
  if (tab.get("open") && innerWidth > 480) shell.open(false);
  else if (storage.get<SavedSession>("session")?.live) widget.parts.core().catch(() => {});
  if ((options.prefetch ?? options.proactive ?? options.launcherSelector ?? options.mode ?? location.hash.match("relay-chat") ??
    document.querySelectorAll("script[data-api-key]")[1]) != null) {
    shell.part<any>(PAGE_FILE).then((m) => m.start(shell, widget)).catch(() => {});
  }
}

/** whenIdle waits until the page has nothing else to do; Safari cannot tell, and waits for what runs. */
const whenIdle = (window.requestIdleCallback || setTimeout) as (fn: () => void, within: object) => void;

// A page that carries the snippet twice gets one widget; one that has lost it, by
// rewriting itself, gets it again.
const known = window.RelayChat as { version?: string; init(): void } | undefined;
if (known?.version) auto && !document.querySelector("relay-chat") && known.init();
else {
  const events = createEvents();
  install(events, (given) => createWidget(events, given), auto);
}
