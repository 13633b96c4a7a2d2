// The steps of a new relay, each of which is checked by what the server knows.

import { call } from "../net/api";
import { shownSite } from "../settings/settings";
import type { Bridge } from "../types";

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

const empty = (): undefined => undefined;

// chosen is what the person said of the steps: "", hidden or done.
export const chosen = async (): Promise<string> => (await call<Me>("GET", "/me")).preferences.firstSteps ?? "";

export const choose = (firstSteps: string): Promise<unknown> => call("PATCH", "/me", { preferences: { firstSteps } });

// check asks the server how far everything is. What cannot be asked is not done.
export async function check(): Promise<Step[]> {
  const site = shownSite();
  const [people, widget, channels, push] = await Promise.all([
    call<{ people: unknown[] }>("GET", "/people").catch(empty),
    call<{ seen: { host: string }[] }>("GET", "/widget" + (site ? "?site=" + site : "")).catch(empty),
    call<{ bridges: Bridge[] }>("GET", "/bridges").catch(empty),
    call<{ devices: unknown[] }>("GET", "/push").catch(empty),
  ]);
  const team = people?.people.length ?? 0;
  return [
    { title: "Make an account", text: "Keep the secret key in a safe place, and sign in as yourself from now on.",
      action: "Make an account", href: "#/team", done: team > 0 },
    { title: "Put the chat on your site", text: "Paste the snippet into a page, then open that page and its chat once.",
      action: "Get the snippet", href: "#/widget", done: !!widget?.seen.length },
    { title: "Connect a channel", text: "Answer from Telegram, Discord or Slack, where your team is anyway.", action: "Connect a channel",
      href: "#/channels", done: !!channels?.bridges.some((b) => b.state === "running") },
    { title: "Let your phone ring", text: "Open the console on your phone and switch notifications on there.", action: "Notifications",
      href: "#/notifications", done: !!push?.devices.length },
    { title: "Invite a colleague", text: "Send a link with which somebody else joins.", action: "Invite", href: "#/team", done: team > 1 },
  ];
}
