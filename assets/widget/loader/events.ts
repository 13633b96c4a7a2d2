// events.ts is the page's side of events: handlers by name, and a CustomEvent
// "relay:<name>" on the document for each.

type Handler = (detail: unknown) => void;

export interface Events {
  on(name: string, fn: Handler): () => void;
  once(name: string, fn: Handler): () => void;
  off(name: string, fn?: Handler): void;
  emit(name: string, detail?: unknown): void;
}

/** createEvents makes an empty set of handlers. */
export function createEvents(): Events {
  const handlers: Record<string, Set<Handler>> = {};

  const off = (name: string, fn?: Handler) => {
    if (fn) handlers[name]?.delete(fn);
    else delete handlers[name];
  };
  const on = (name: string, fn: Handler) => {
    (handlers[name] ||= new Set()).add(fn);
    return () => off(name, fn);
  };
  return {
    on,
    off,
    once(name, fn) {
      const stop = on(name, (detail) => {
        stop();
        fn(detail);
      });
      return stop;
    },
    emit(name, detail) {
      for (const fn of [...(handlers[name] || [])]) {
        try {
          fn(detail);
        } catch (error) {
          // A fault in the page's handler must not break the chat.
          reportError(error);
        }
      }
      document.dispatchEvent(new CustomEvent("relay:" + name, { detail }));
    },
  };
}
