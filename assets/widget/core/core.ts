// core.ts is the conversation without its view: it wires store, session,
// stream, outbox and signals together and gives loader and panel the actions.

import { loadOlder } from "./history";
import { createReceiver } from "./receive";
import { createLink, type Link } from "../net/link";
import { createSignals } from "./signals";
import { createLanguage } from "../text/language";
import { createSession } from "./session";
import { blank, createStore } from "./store";
import { createClient } from "../net/client";
import { core as english } from "../lang/en.json";
import type { Core, Identity, Shell } from "../types";
import { lazyAttention, type Attend } from "../attention/lazy";
import { createWriting } from "./writing";
import { lookOf } from "../ui/look";
import { createOutbox } from "./outbox";
import { followPage } from "./page";
import { createPause } from "../net/pause";

type Methods = Record<string, (...args: unknown[]) => unknown>;

/** start begins or resumes the session at once. */
export function start(shell: Shell): Core {
  const { storage } = shell;
  const life = new AbortController();
  const identity = storage.get<Identity>("identity") || {};
  const store = createStore({ ...blank(), draft: storage.get<string>("draft") || "", identity });
  const language = createLanguage(shell, store);
  const pause = createPause();
  const client = createClient(shell, life.signal);
  const session = createSession(shell, store, client, pause, () => {
    void core.adopt();
    link.restart();
    outbox.revive();
    core.identify().catch((error) => shell.emit("error", { message: "Identity not accepted", error }));
  });
  const outbox = createOutbox(shell, store, client, session, pause);
  const signals = createSignals(store, client);
  const core: Core = {
    ...createWriting(shell, store, outbox, signals),
    store,
    client,
    words: language.words,
    spoken: language.settled,
    ready: session.ready,
    post: async (where, body) => client.call("POST", where, { sessionId: await session.ready(), ...body }),
    async method(name, ...args) {
      const own = (core as unknown as Methods)[name];
      return own ? own(...args) : (await shell.part<Methods>(RARE_FILE))[name]!(core, shell, ...args);
    },
    older: (limit) => loadOlder(store, client, limit),
    async identify() {
      const wanted = storage.get("identity");
      const mark = shell.json([store.state.sessionId, wanted]);
      // Unless the server knows it.
      if (wanted && storage.get("identified") !== mark) await core.method("introduce", wanted, mark);
    },
    change(saved) {
      link.stop();
      return session.change(saved);
    },
    async adopt() {
      await language.choose();
      shell.setLook({ ...lookOf(store.state.config), name: core.words("core", english).open });
    },
    notice: (notice) => store.set({ notice }),
    stop(reason) {
      if (reason) signals.leave(reason);
      life.abort();
      link.stop();
    },
  };
  const attend = lazyAttention(core, shell);
  const receive = createReceiver(core, shell, session, signals, attend);
  const link = createLink(core, shell, session, pause, receive, outbox.revive);
  followStore(core, shell, link, attend);
  followPage(core, pause, outbox, signals, link);
  session.begin();
  return core;
}

/** followStore keeps after any change the badge, and whether the session needs a stream. */
function followStore({ store, client, words }: Core, { storage, button, setUnread }: Shell, link: Link, attend: Attend): void {
  store.subscribe(() => {
    const { open, unread, language, stop, messages } = store.state;
    if (client.life.aborted) return;
    setUnread(unread);
    const t = words("core", english);
    button.lang = language;
    button.ariaLabel = open ? t.shut : t.open;
    attend();
    if (stop) link.stop();
    const own = client.session;
    if (own && !own.live && messages.length) storage.set("session", (client.session = { ...own, live: true }));
  });
}
