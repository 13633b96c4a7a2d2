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
import { tr } from "../ui/texts";

export interface Command {
  group: string;
  label: string;
  symbol: string; // of console.html
  run(): unknown;
  // key is the shortcut for it, also are other words that find it.
  key?: string;
  also?: string;
  // about stands behind the label.
  about?: string;
}

// plain is a text as it is compared: without case and accents.
export const plain = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();

const press = (id: string) => (): void => byId(id).click();

const isThere = (id: string): boolean => byId(id).checkVisibility();

function ofConversation(s: Session | undefined): Command[] {
  if (!s || state.page || !isThere("pane")) return [];
  const group = tr("This conversation");
  const mine = s.assignee?.id === myId;
  const assign = (label: string, assignee: string | null): Command =>
    ({ group, label, symbol: "person", run: () => put(s, { assignee }), also: tr("take unassign") });
  return [
    { group, label: tr("Write an answer"), symbol: "reply", key: "r", run: () => byId("composer").focus() },
    { group, label: tr("Write an internal note"), symbol: "note", key: "n", run: press("note") },
    { group, label: s.status === "open" ? tr("Close") : tr("Reopen"), symbol: "sent", key: "e", run: press("thread-verb"),
      also: tr("done resolve") },
    { group, label: tr("Snooze…"), symbol: "wait", run: press("thread-snooze"), also: tr("later remind") },
    ...(isThere("thread-assign") ? [
      ...(mine ? [] : [assign(tr("Assign to me"), myId)]),
      ...(s.assignee ? [assign(tr("Take from {name}", { name: s.assignee.name }), null)] : []),
      { group, label: tr("Assign to somebody…"), symbol: "person", run: press("thread-assign") },
    ] : []),
    { group, label: tr("Mark as unread"), symbol: "inbox", key: "u", run: () => markUnread(s.id) },
    { group, label: tr("Saved answers"), symbol: "saved", run: press("saved"), also: tr("canned macros") },
    ...(isThere("ai-bar") ? [
      { group, label: tr("Suggest an answer"), symbol: "spark", run: press("ai-draft"), also: tr("ai draft") },
      { group, label: tr("Sum the conversation up"), symbol: "lines", run: press("ai-summary"), also: tr("ai summary") },
    ] : []),
    { group, label: tr("More…"), symbol: "dots", run: press("thread-more"), also: tr("tags block delete export transcript rating") },
  ];
}

// list opens the inbox at one of its lists.
const list = (filter: string) => (): void => {
  location.hash = "#/";
  show({ filter, query: "" });
};

function places(): Command[] {
  const lists: [string, string][] =
    [[tr("Waiting"), "waiting"], [tr("Open"), "open"], [tr("Closed"), "closed"], [tr("Snoozed"), "snoozed"]];
  return [
    ...lists.map(([label, filter]): Command =>
      ({ group: tr("Go to"), label: tr("Inbox: {label}", { label }), symbol: "inbox", run: list(filter) })),
    ...pages.filter((page) => page.group || (page.icon && page.name !== "settings")).map((page): Command => ({
      group: tr("Go to"), symbol: page.icon ?? "gear", label: page.icon ? page.label : tr("Settings: {page}", { page: page.label }),
      run: () => (location.hash = "#/" + page.name) })),
  ];
}

function own(): Command[] {
  const group = tr("You");
  const themes: [string, Theme][] = [[tr("Light"), "light"], [tr("Dark"), "dark"], [tr("As the system"), ""]];
  const status = ([mode, name]: [string, string]): Command =>
    ({ group, label: tr("Visitors see you: {name}", { name }), symbol: "person", run: press("presence-" + mode) });
  const modes: [string, string][] = [["automatic", tr("Automatic")], ["online", tr("Online")], ["away", tr("Away")]];
  const sound = byId<HTMLInputElement>("sound").checked;
  return [
    ...(state.presence ? modes.map(status) : []),
    ...themes.map(([label, theme]): Command => ({ group, label: tr("Theme: {name}", { name: label.toLowerCase() }), symbol: "screen",
      run: async () => (await import("./theme")).choose(theme), also: tr("appearance colour mode") })),
    { group, label: sound ? tr("Turn the sound off") : tr("Turn the sound on"), symbol: "bell", run: press("sound"), also: tr("mute") },
    { group, label: tr("Keyboard shortcuts"), symbol: "info", key: "?", run: async () => (await import("./help")).showHelp(),
      also: tr("help") },
    { group, label: tr("Sign out"), symbol: "leave", run: () => byId<HTMLFormElement>("sign-out").requestSubmit(), also: tr("log out") },
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
