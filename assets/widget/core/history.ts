// history.ts loads what was said before the messages that are held.

import { withMessages, withPage } from "./messages";
import type { Client, Page, Store } from "../types";

export async function loadOlder(store: Store, client: Client, limit = 50): Promise<void> {
  const first = store.state.messages[0];
  if (!first) return;
  const query = `messages?sessionId=${store.state.sessionId}&before=${first.id}&limit=${limit}`;
  const { messages, timeline, hasMore } = await client.call<Page>("GET", query);
  const { state } = store;
  // After a reload meanwhile, these messages may not join the new ones.
  if (state.messages[0]?.id !== first.id) return;
  store.set({ ...withMessages(state, messages, "older"), ...withPage(state, timeline), hasMore });
}
