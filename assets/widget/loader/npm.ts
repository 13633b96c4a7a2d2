// npm.ts is the npm package: it loads the widget from your relay, so that the
// two always fit each other, and never while a page is rendered on a server.

import type { LoadOptions, RelayChat } from "../relay-chat";

let loading: Promise<RelayChat> | undefined;

/** loadRelayChat loads the widget once and starts it with these options. */
export function loadRelayChat(options: LoadOptions): Promise<RelayChat> {
  if (typeof document === "undefined") return new Promise(() => {}); // rendered on a server
  return (loading ||= load(options).catch((error) => {
    loading = undefined; // can be asked again
    throw error;
  }));
}

async function load(options: LoadOptions): Promise<RelayChat> {
  const url = options.apiUrl.replace(/\/+$/, "") + "/widget.mjs";
  const chat = (await import(/* @vite-ignore */ /* webpackIgnore: true */ url)).default as RelayChat;
  chat.init(options);
  return chat;
}
