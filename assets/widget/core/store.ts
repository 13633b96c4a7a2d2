// store.ts holds the one state of the chat. Data flows one way: actions and
// the stream set it, the panel and the badge read it.

import type { State, Store } from "../types";

/** createStore starts from the given state; subscribers run after each set. */
export function createStore(initial: State): Store {
  const subscribers = new Set<() => void>();
  let state = initial;
  return {
    get state() {
      return state;
    },
    set(patch) {
      state = { ...state, ...patch };
      for (const fn of [...subscribers]) fn();
    },
    subscribe(fn) {
      subscribers.add(fn);
      return () => subscribers.delete(fn);
    },
  };
}

/** blank is the state before the server has answered anything. */
export function blank(): State {
  return {
    open: false,
    focus: false,
    ready: false,
    connection: "connecting",
    stop: null,
    config: {},
    language: "en",
    sessionId: "",
    closed: false,
    operatorOnline: false,
    ai: false,
    typing: null,
    messages: [],
    timeline: [],
    pending: [],
    hasMore: false,
    unread: 0,
    draft: "",
    uploads: [],
    csat: {},
    prechatDone: false,
    identity: {},
    greeting: null,
    notice: "",
  };
}
