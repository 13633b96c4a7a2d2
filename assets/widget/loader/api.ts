// api.ts is window.RelayChat: a function and an object in one, so that both
// RelayChat("open") and RelayChat.open() work, also for calls made before the
// file arrived.

import type { Events } from "./events";
import type { View } from "./launcher";
import type { Given } from "./options";
import type { Parts } from "./parts";
import type { Core, Identity, Shell } from "../types";

/** These live in the core, which their first call loads. */
const FORWARDED = "sendMessage uploadFile setDraft setTheme setLocale endChat requestTranscript trigger";

type Method = (...args: any[]) => unknown;

/** What the API steers: one widget on the page. */
export interface Widget extends View {
  unread: number;
  shell: Shell;
  parts: Parts;
  destroy(reason?: "manual"): void;
}

/** install puts the API in the place of the queue and runs what waits there. */
export function install(events: Events, create: (given?: Given) => Widget, auto: boolean): void {
  const { on, once, off, emit } = events;
  let widget: Widget | undefined;

  const destroy = (reason?: "manual") => {
    widget?.destroy(reason);
    widget = undefined;
  };
  const init = (given?: Given) => {
    destroy();
    widget = create(given);
  };
  const read = (key: string) => widget?.shell.storage.get(key);
  const core = async (): Promise<Core> => {
    if (!widget) throw Error("init() comes first");
    return widget.parts.core();
  };
  const visible = (on: boolean) => {
    if (!widget) return;
    if (!on) widget.shell.close();
    widget.shell.element.hidden = !on;
  };
  const methods: Record<string, any> = {
    version: VERSION, init, destroy, on, once, off,
    /** reset is for log-out: it forgets the visitor, or only the session. */
    reset({ newSession }: { newSession?: boolean } = {}) {
      if (!widget) return;
      const { options, storage } = widget.shell;
      const kept = newSession ? ["look", "visitor", "identity"] : ["look"];
      widget.shell.close();
      destroy("manual");
      for (const key of storage.keys("")) if (!kept.includes(key)) storage.set(key, null);
      init(options);
    },
    open: (focus?: boolean) => widget?.shell.open(focus),
    close: () => widget?.shell.close(),
    toggle: () => widget?.shell.button.click(),
    show: () => visible(true),
    hide: () => visible(false),
    /** identify waits in storage until there is a session to tell it to. */
    async identify(identity: Identity) {
      widget?.shell.storage.set("identity", identity);
      if (widget?.open || read("session")) return (await core()).identify();
      return undefined;
    },
    setAttributes: (more: object): unknown => methods.identify({ ...(read("identity") as object), ...more }),
    getIdentity: () => read("identity"),
    getVisitorId: () => read("visitor"),
    onEvent: (name: string, fn: (data: unknown) => void) => on("event:" + name, fn),
  };
  for (const name of FORWARDED.split(" ")) {
    methods[name] = async (...args: unknown[]) => (await core()).method(name, ...args);
  }
  const api = callable(methods, () => widget);
  const queue = window.RelayChat?.q || [];
  window.RelayChat = api as object;
  if (auto) init();
  for (const args of queue) api(...(args as unknown as [string]));
  emit("ready");
}

/** callable makes a function of the methods, which takes a name first, with what is known of the widget. */
function callable(methods: Record<string, any>, widget: () => Widget | undefined): Method {
  const api = Object.assign((name: string, ...args: unknown[]) => {
    const member = (api as Record<string, unknown>)[name];
    return typeof member === "function" ? (member as Method)(...args) : member;
  }, methods);
  return Object.defineProperties(api, {
    isOpen: { get: () => !!widget()?.open },
    unread: { get: () => widget()?.unread || 0 },
  });
}
