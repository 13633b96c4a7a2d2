// session.ts begins or resumes the session, and loads its messages again when
// the stream cannot close a gap.

import { withMessages, withPage } from "./messages";
import { blank } from "./store";
import { passing } from "../net/client";
import { locks } from "../net/locks";
import type { Pause } from "../net/pause";
import { randomId } from "../../shared/random";
import type { Client, Earlier, HttpError, InitAnswer, Page, SavedSession, Shell, State, Stop, Store } from "../types";

/** How long a tab waits for another that begins the same session. */
const PATIENCE = 5_000;

export interface Session {
  /** Resolves with the session's id once it exists; rejects when stopped. */
  ready(): Promise<string>;
  begin(): void;
  /** An answer that ends the session: 404 begins it once more, others stop. */
  refused(error: HttpError, sessionId?: string): void;
  /** Begins another session: a known one, or a new one. */
  change(saved: SavedSession | null): Promise<string>;
  /** The session works; a later 404 may begin again. */
  healthy(): void;
  reload(): Promise<void>;
  cursor: string;
}

/** createSession does nothing before begin is called. */
export function createSession(shell: Shell, store: Store, client: Client, pause: Pause, onReady: () => void): Session {
  const { storage } = shell;
  let began: Promise<string> | null = null;
  let losses = 0;
  let fresh = false;

  const stop = (why: Stop) => store.set({ stop: why, connection: "offline", uploads: [] });
  const tryUntilReady = async () => {
    try {
      const answer = await patiently(client, pause, () => init(shell, client, fresh), () => store.set({ connection: "offline" }));
      session.cursor = "" + answer.lastEventId;
      store.set(begun(shell, store.state, answer));
      onReady();
      return answer.sessionId;
    } catch (error) {
      if ((error as HttpError).status) stop(reason(error as HttpError));
      throw error;
    }
  };
  const session: Session = {
    cursor: "",
    begin: () => void session.ready().catch(() => {}),
    ready: () => (began ||= tryUntilReady()),
    refused(error, id = store.state.sessionId) {
      const lost = error.status === 404;
      // Several calls may notice the same loss.
      if (lost && (!store.state.ready || id !== store.state.sessionId)) return;
      if (!lost || losses++) return stop(reason(error));
      store.set({ ready: false });
      began = null;
      session.begin();
    },
    change(saved) {
      const { open, focus, config, language, identity, connection, draft } = store.state;
      store.set({ ...blank(), open, focus, config, language, identity, connection, draft });
      storage.set("session", (client.session = saved));
      fresh = true;
      began = null;
      session.cursor = "";
      return session.ready();
    },
    healthy: () => void (losses = 0),
    async reload() {
      const id = store.state.sessionId;
      const page = await patiently(client, pause, () => client.call<Page>("GET", `messages?sessionId=${id}&limit=50`));
      if (store.state.sessionId !== id) return;
      session.cursor = "" + page.lastEventId;
      store.set({ ...newest(store.state, page), hasMore: page.hasMore });
    },
  };
  return session;
}

/** patiently repeats a call for as long as time may help. */
async function patiently<T>({ life }: Client, pause: Pause, job: () => Promise<T>, onFailure?: () => void): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await job();
    } catch (error) {
      if (life.aborted || !passing(error)) throw error;
      onFailure?.();
      await pause.after(error, attempt);
    }
  }
}

/** init asks once. A lock keeps two tabs from making two sessions. */
function init(shell: Shell, client: Client, fresh: boolean): Promise<InitAnswer> {
  const { storage, options } = shell;
  return exclusive(`relay-init:${options.apiKey}`, async () => {
    client.life.throwIfAborted();
    const from = client.session;
    const stored = storage.get<SavedSession>("session");
    // A tab keeps its own conversation; without one, or when another tab has already
    // continued it after a loss, it takes the one that is stored.
    const saved = from && stored?.after !== from.id ? from : stored;
    const answer = await client.call<InitAnswer>("POST", "init", {
      ...visitor(shell),
      useSessionToken: true,
      sessionToken: saved?.token,
      newSession: !saved && fresh,
    });
    if (client.session !== from) throw 0; // another conversation was begun: asked again
    const id = answer.sessionId;
    // The team has begun another conversation: the present one becomes an earlier one.
    if (saved?.id !== id && answer.sessionToken?.includes(id)) {
      storage.set("chats", [{ ...saved, at: new Date() }, ...(storage.get<Earlier[]>("chats") || [])]);
    }
    client.session = {
      id,
      token: answer.sessionToken || saved?.token || "",
      live: answer.messages.length > 0,
      after: saved?.id === id ? saved.after : saved?.id,
    };
    storage.set("session", client.session);
    return answer;
  });
}

/** begun is the state with the session that the server gave. */
function begun({ storage }: Shell, state: State, answer: InitAnswer): Partial<State> {
  const { session: known = {}, ...rest } = answer;
  return {
    backAt: undefined, replySeconds: undefined, hours: undefined,
    ...rest,
    ready: true,
    ai: !!known.aiActive,
    askContact: known.askContact,
    closed: known.status === "closed",
    // A rating of an earlier page is not thanked for again.
    csat: known.csat?.respondedAt ? {} : known.csat || {},
    identity: { ...storage.get("identity"), ...known.identity },
    prechatDone: storage.get("prechat") === answer.sessionId,
    ...newest(state, answer, state.sessionId === answer.sessionId),
  };
}

/** newest is the state with a newest page, which joins what is held or stands in its place. */
function newest(state: State, { messages, timeline }: Pick<Page, "messages" | "timeline">, joins = false): Partial<State> {
  const held = joins ? state : { ...state, messages: [], timeline: [] };
  return { ...withMessages(held, messages, "newest"), ...withPage(held, timeline) };
}

/** reason returns why a response means the end of the chat. */
function reason({ status, message }: HttpError): Stop {
  if (status === 401) return "unauthorized";
  if (status !== 403) return "gone";
  return message === "Blocked" ? "blocked" : "forbidden";
}

/** visitor is what the server learns of the page: no query, no fingerprint. */
function visitor({ storage }: Shell): Record<string, string> {
  const visitorId = storage.get<string>("visitor") || randomId();
  storage.set("visitor", visitorId);
  return {
    visitorId,
    url: withoutQuery(location.href),
    referrer: withoutQuery(document.referrer),
    userAgent: navigator.userAgent,
    language: navigator.language,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

export function withoutQuery(url: string): string {
  return url.split(/[?#]/)[0]!;
}

/**
 * exclusive waits for other tabs, but not for one that its browser has put to sleep with
 * the lock in its hand, as phones do.
 */
function exclusive<T>(name: string, job: () => Promise<T>): Promise<T> {
  let running: Promise<T> | undefined;
  const run = () => (running ||= job());
  if (!locks) return run();
  const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE));
  return Promise.race([locks.request(name, run) as Promise<T>, patience.then(run)]);
}
