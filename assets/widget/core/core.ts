// core.ts is the conversation without its view: it wires store, session,
// stream, outbox and signals together and gives loader and panel the actions.

import { createClient } from "../net/client";
import { lookOf } from "../ui/look";
import { applyEvent, withMessages, withPage } from "./messages";
import { createOutbox } from "./outbox";
import { createPause } from "../net/pause";
import { createSession, withoutQuery } from "./session";
import { createSignals } from "./signals";
import type { StreamEvent } from "../net/sse";
import { core as english } from "../lang/en.json";
import { createLanguage } from "../text/language";
import { blank, createStore } from "./store";
import { createLink } from "../net/link";
import { announce } from "./announce";
import type { Attention } from "../attention/attention";
import type { Attachment, Core, Identity, Page, Shell } from "../types";

/** start begins or resumes the session at once. */
export function start(shell: Shell): Core {
  const { storage, emit } = shell;
  const life = new AbortController();
  const store = createStore({
    ...blank(),
    draft: storage.get<string>("draft") || "",
    identity: storage.get<Identity>("identity") || {},
  });
  const language = createLanguage(shell, store);
  const pause = createPause();
  const client = createClient(shell, life.signal);
  const session = createSession(shell, store, client, pause, onReady);
  const outbox = createOutbox(shell, store, client, session, pause);
  const signals = createSignals(store, client);
  const link = createLink({ shell, store, client, session, pause, onEvent, onOnline: outbox.revive });
  let typingTimer = 0;
  /** rarely is a method that lies in a file of its own. */
  const rarely = (name: string) => async (...args: unknown[]) =>
    (await shell.part<Record<string, (core: Core, shell: Shell, ...args: unknown[]) => unknown>>(RARE_FILE))[name]!(core, shell, ...args);
  const post = async <T>(where: string, body: object) =>
    client.call<T>("POST", where, { sessionId: await session.ready(), ...body });

  /** adopt follows what the settings say. */
  function adopt(): Promise<void> {
    return language.choose().then(() => {
      const { open } = language.words("core", english);
      shell.setLook({ ...lookOf(store.state.config), name: open });
    });
  }
  function onReady(): void {
    void adopt();
    link.restart();
    outbox.revive();
    introduce().catch((error) => emit("error", { message: "Identity not accepted", error }));
  }

  /** introduce sends the identity that the page set, unless the server knows it. */
  const introduce = async () => {
    const identity = storage.get("identity");
    const mark = shell.json([store.state.sessionId, identity]);
    if (identity && storage.get("identified") !== mark) return rarely("introduce")(identity, mark);
    return undefined;
  };

  async function onEvent(event: StreamEvent): Promise<void> {
    if (event.name === "resync") return session.reload();
    const data = JSON.parse(event.data) as Record<string, unknown>;
    const before = store.state;
    store.set(applyEvent(before, event.name, data));
    if (event.name === "config") void adopt();
    announce(shell, before, event.name, data);
    const message = store.state.messages.at(-1);
    const news = event.name === "message" && message?.sender !== "visitor" && !before.messages.some((m) => m.id === message?.id);
    if (news && (document.hidden || !store.state.open)) attend((a) => a.ring(message!));
    signals.read();
    if (event.name !== "typing") return;
    // An operator whose "stopped" got lost does not type for ever.
    clearTimeout(typingTimer);
    typingTimer = window.setTimeout(() => store.set({ typing: null }), 10_000);
  }

  let attention: Attention | undefined;
  const attend = (job?: (attention: Attention) => void) => {
    shell.part<{ create(core: Core, shell: Shell): Attention }>(ATTENTION_FILE).then(
      ({ create }) => {
        if (life.signal.aborted) return;
        attention ||= create(core, shell);
        attention.update(store.state);
        job?.(attention);
      },
      () => {}, // the number comes with the next change
    );
  };
  // After any change: the badge, and whether the session needs a stream.
  const unsubscribe = store.subscribe(() => {
    shell.setUnread(store.state.unread);
    const { open, unread } = store.state;
    const words = language.words("core", english);
    shell.button.lang = store.state.language;
    shell.button.ariaLabel = open ? words.shut : words.open;
    attention?.update(store.state);
    if (!attention && unread && !open) attend();
    if (store.state.stop) link.stop();
    const own = client.session;
    if (own && !own.live && store.state.messages.length) {
      storage.set("session", (client.session = { ...own, live: true }));
    }
  });
  const onVisible = () => {
    if (document.hidden) return;
    pause.wake();
    signals.read();
  };
  const onOnline = () => {
    pause.wake();
    outbox.revive();
  };
  // Pages that route in the browser change their address without being loaded.
  let page = withoutQuery(location.href);
  const onMove = () => {
    const url = withoutQuery(location.href);
    if (url === page || !store.state.ready || store.state.stop) return;
    page = url;
    post("page", { url }).catch(() => {});
  };
  const { navigation } = window as { navigation?: EventTarget };
  const looking = navigation ? 0 : window.setInterval(onMove, 2_000);
  const onHide = () => {
    signals.leave("page_unload");
    link.stop();
  };
  const onShow = (e: PageTransitionEvent) => e.persisted && store.state.ready && link.restart();
  const listeners: [EventTarget, string, EventListener][] = [
    [document, "visibilitychange", onVisible],
    [window, "online", onOnline],
    [window, "pagehide", onHide],
    [navigation || window, navigation ? "navigatesuccess" : "popstate", onMove],
    [window, "pageshow", onShow as EventListener],
  ];
  for (const [target, name, fn] of listeners) target.addEventListener(name, fn);
  session.begin();

  const setDraft = (draft: string) => {
    storage.set("draft", draft || null);
    if (draft !== store.state.draft) store.set({ draft });
  };
  const methods: Record<string, (...args: any[]) => unknown> = {
    sendMessage(content: unknown, { replyTo, attachments = [] }: { replyTo?: string; attachments?: Attachment[] } = {}) {
      signals.sent();
      return outbox.add(String(content ?? ""), attachments, replyTo); // pages also give numbers
    },
    setDraft,
    setTheme(theme?: string) {
      shell.options.theme = theme;
      store.set({});
    },
  };
  const core: Core = {
    store,
    client,
    words: language.words,
    spoken: language.settled,
    post,
    ready: session.ready,
    method: (name, ...args) => (methods[name] || rarely(name))(...args),
    setOpen(open, focus) {
      store.set({ open, focus });
      signals.read();
    },
    submit(content, replyTo) {
      signals.sent();
      const files = store.state.uploads.flatMap((u) => u.attachment || []);
      store.set({ uploads: [] });
      outbox.add(content, files, replyTo).catch(() => {});
    },
    retry: outbox.retry,
    discard: outbox.discard,
    async older(limit = 50) {
      const first = store.state.messages[0];
      if (!first) return;
      const query = `messages?sessionId=${store.state.sessionId}&before=${first.id}&limit=${limit}`;
      const { messages, timeline, hasMore } = await client.call<Page>("GET", query);
      const { state } = store;
      // After a reload meanwhile, these messages may not join the new ones.
      if (state.messages[0]?.id !== first.id) return;
      store.set({ ...withMessages(state, messages, "older"), ...withPage(state, timeline), hasMore });
    },
    typing: signals.typing,
    handoff: rarely("handoff"),
    setDraft,
    change(saved) {
      link.stop();
      const { open, focus, config, language, identity, connection, draft } = store.state;
      store.set({ ...blank(), open, focus, config, language, identity, connection, draft });
      return session.change(saved);
    },
    identify: introduce,
    adopt,
    notice: (notice) => store.set({ notice }),
    stop(reason) {
      if (reason) signals.leave(reason);
      for (const [target, name, fn] of listeners) target.removeEventListener(name, fn);
      clearInterval(looking);
      unsubscribe();
      life.abort();
      link.stop();
      attention?.stop();
    },
  };
  return core;
}
