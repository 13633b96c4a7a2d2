// What the AI did, or wants to do: the shape of the admin API, and its states in words.

import { tr } from "../ui/texts";

export interface Act {
  id: string;
  sessionId: string;
  site?: string;
  name: string;
  shown: string;
  // request is what is shown, in its parts.
  request?: { method: string; address: string; arguments: { name: string; value: string }[] };
  // note is the clientId of the note that asks.
  note?: string;
  state: keyof typeof states;
  reason?: string;
  by?: string;
  askedAt: string;
  at?: string;
}

export const states = {
  waiting: [tr("Waits for your yes"), ""], running: [tr("Running"), ""], done: [tr("Done"), "good"], failed: [tr("Not done"), "bad"],
  unknown: [tr("Perhaps done"), "bad"], declined: [tr("Declined"), ""], expired: [tr("Expired"), ""],
} as const;
