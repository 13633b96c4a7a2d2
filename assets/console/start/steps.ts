// The steps of a new relay, each of which is checked by what the server knows.

import { call } from "../net/api";
import { shownSite } from "../settings/settings";
import type { Bridge } from "../types";
import { tr } from "../ui/texts";

export interface Step {
  title: string;
  text: string;
  // action leads to where the step is taken.
  action: string;
  href: string;
  done: boolean;
}

interface Me {
  signedInBy: string;
  preferences: { firstSteps?: string };
}

// chosen is what the person said of the steps: "", hidden or done.
export const chosen = async (): Promise<string> => (await call<Me>("GET", "/me")).preferences.firstSteps ?? "";

export const choose = (firstSteps: string): Promise<unknown> => call("PATCH", "/me", { preferences: { firstSteps } });

// check asks the server how far everything is. It fails when one thing cannot be asked.
export async function check(): Promise<Step[]> {
  const site = shownSite();
  const [{ people }, { seen }, { bridges }, { devices }] = await Promise.all([
    call<{ people: unknown[] }>("GET", "/people"),
    call<{ seen: { host: string }[] }>("GET", "/widget" + (site ? "?site=" + site : "")),
    call<{ bridges: Bridge[] }>("GET", "/bridges"),
    call<{ devices: unknown[] }>("GET", "/push"),
  ]);
  const team = people.length;
  return [
    { title: tr("Make an account"), text: tr("Keep the secret key in a safe place, and sign in as yourself from now on."),
      action: tr("Make an account"), href: "#/team", done: team > 0 },
    { title: tr("Put the chat on your site"), text: tr("Paste the snippet into a page, then open that page and its chat once."),
      action: tr("Get the snippet"), href: "#/widget", done: seen.length > 0 },
    { title: tr("Connect a channel"), text: tr("Answer from the messenger in which your team is anyway."),
      action: tr("Connect a channel"), href: "#/channels", done: bridges.some((b) => b.state === "running") },
    { title: tr("Let your phone ring"), text: tr("Open the console on your phone and switch notifications on there."),
      action: tr("Notifications"), href: "#/notifications", done: devices.length > 0 },
    { title: tr("Invite a colleague"), text: tr("Send a link with which somebody else joins."),
      action: tr("Invite"), href: "#/team", done: team > 1 },
  ];
}
