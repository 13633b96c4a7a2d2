// What the field of commands offers: what can be done with the open conversation, the lists, the pages, and one's own things.

import { byId } from "../ui/dom";
import { put } from "../inbox/organise";
import { markUnread } from "../inbox/unread";
import { show } from "../net/load";
import { myId } from "../state/me";
import { current, state } from "../state/store";
import type { Session } from "../types";
import { pages } from "./nav";
import type { Theme } from "./theme";

export interface Command {
  group: string;
  label: string;
  symbol: string; // of console.html
  run(): unknown;
  // key is the shortcut for it, also are other words that find it.
  key?: string;
  also?: string;
}

// plain is a text as it is compared: without case and accents.
export const plain = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();

const press = (id: string) => (): void => byId(id).click();

const isThere = (id: string): boolean => byId(id).checkVisibility();

function ofConversation(s: Session | undefined): Command[] {
  if (!s || state.page || !isThere("pane")) return [];
  const group = "This conversation";
  const mine = s.assignee?.id === myId;
  const assign = (label: string, assignee: string | null): Command =>
    ({ group, label, symbol: "person", run: () => put(s, { assignee }), also: "take unassign" });
  return [
    { group, label: "Write an answer", symbol: "reply", key: "r", run: () => byId("composer").focus() },
    { group, label: "Write an internal note", symbol: "note", key: "n", run: press("note") },
    { group, label: s.status === "open" ? "Close" : "Reopen", symbol: "sent", key: "e", run: press("thread-verb"), also: "done resolve" },
    { group, label: "Snooze…", symbol: "wait", run: press("thread-snooze"), also: "later remind" },
    ...(isThere("thread-assign") ? [
      ...(mine ? [] : [assign("Assign to me", myId)]),
      ...(s.assignee ? [assign("Take from " + s.assignee.name, null)] : []),
      { group, label: "Assign to somebody…", symbol: "person", run: press("thread-assign") },
    ] : []),
    { group, label: "Mark as unread", symbol: "inbox", key: "u", run: () => markUnread(s.id) },
    { group, label: "Saved answers", symbol: "saved", run: press("saved"), also: "canned macros" },
    ...(isThere("ai-bar") ? [
      { group, label: "Suggest an answer", symbol: "spark", run: press("ai-draft"), also: "ai draft" },
      { group, label: "Sum the conversation up", symbol: "lines", run: press("ai-summary"), also: "ai summary" },
    ] : []),
    { group, label: "More…", symbol: "dots", run: press("thread-more"), also: "tags block delete export transcript rating" },
  ];
}

// list opens the inbox at one of its lists.
const list = (filter: string) => (): void => {
  location.hash = "#/";
  show({ filter, query: "" });
};

function places(): Command[] {
  const lists: [string, string][] = [["Waiting", "waiting"], ["Open", "open"], ["Closed", "closed"], ["Snoozed", "snoozed"]];
  return [
    ...lists.map(([label, filter]): Command => ({ group: "Go to", label: "Inbox: " + label, symbol: "inbox", run: list(filter) })),
    ...pages.filter((page) => page.group || (page.icon && page.name !== "settings")).map((page): Command => ({
      group: "Go to", symbol: page.icon ?? "gear", label: (page.icon ? "" : "Settings: ") + page.label,
      run: () => (location.hash = "#/" + page.name) })),
  ];
}

function own(): Command[] {
  const group = "You";
  const themes: [string, Theme][] = [["Light", "light"], ["Dark", "dark"], ["As the system", ""]];
  const status = (name: string): Command =>
    ({ group, label: "Visitors see you: " + name, symbol: "person", run: press("presence-" + name.toLowerCase()) });
  const sound = byId<HTMLInputElement>("sound").checked;
  return [
    ...(state.presence ? ["Automatic", "Online", "Away"].map(status) : []),
    ...themes.map(([label, theme]): Command => ({ group, label: "Theme: " + label.toLowerCase(), symbol: "screen",
      run: async () => (await import("./theme")).choose(theme), also: "appearance colour mode" })),
    { group, label: sound ? "Turn the sound off" : "Turn the sound on", symbol: "bell", run: press("sound"), also: "mute" },
    { group, label: "Keyboard shortcuts", symbol: "info", key: "?", run: async () => (await import("./help")).showHelp(), also: "help" },
    { group, label: "Sign out", symbol: "leave", run: () => byId<HTMLFormElement>("sign-out").requestSubmit(), also: "log out" },
  ];
}

export const commands = (): Command[] => [...ofConversation(current()), ...places(), ...own()];

// search looks for a text in the inbox, as if it had been typed there.
export function search(query: string): void {
  location.hash = "#/";
  const field = byId<HTMLInputElement>("search");
  field.value = query;
  field.dispatchEvent(new Event("change"));
  field.focus();
}
