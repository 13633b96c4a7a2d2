// A person's choice of notifications, the same in all of their browsers. Tabs of one browser keep in step.

import { call } from "../net/api";

export interface Preferences {
  notify: string;
  sound: boolean;
  pushContent: boolean;
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
