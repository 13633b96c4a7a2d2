// A person's choice of notifications, the same in all of their browsers. Tabs of one browser keep in step.

import { call } from "../net/api";

// MailWish is when a person gets e-mails about visitors; minutes belong to “unanswered”.
export interface MailWish {
  when: string;
  minutes?: number;
}

// SavedView is a list of conversations with a name.
export interface SavedView {
  name: string;
  status: string;
  assignee?: string;
  tag?: string;
  site?: string;
}

export interface Preferences {
  notify: string;
  sound: boolean;
  pushContent: boolean;
  mail?: MailWish;
  mailSites?: Record<string, MailWish>; // by site, in place of mail
  dailyAt?: string;
  views?: SavedView[];
  language?: string; // of the console, "" for the browser's
}

let chosen: Preferences = { notify: "everything", sound: true, pushContent: false };
const shown: ((p: Preferences) => void)[] = [];
const tabs = new BroadcastChannel("relay.preferences");

function take(of: Preferences): void {
  chosen = of;
  for (const show of shown) show(chosen);
}

tabs.onmessage = (e) => take(e.data as Preferences);

export const preferences = (): Preferences => chosen;

// onPreferences calls show now, and at every change.
export function onPreferences(show: (p: Preferences) => void): void {
  shown.push(show);
  show(chosen);
}

export async function load(): Promise<void> {
  take((await call<{ preferences: Preferences }>("GET", "/me")).preferences);
}

export async function choose(change: Partial<Preferences>): Promise<void> {
  take((await call<{ preferences: Preferences }>("PATCH", "/me", { preferences: change })).preferences);
  tabs.postMessage(chosen);
}
