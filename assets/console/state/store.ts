// The console's whole state, and the one function that changes it and notifies the views.

import { Sessions } from "./sessions";
import type { AI, Bridge, Counts, Entry, Message, Pending, Presence, SavedAnswer, Session, Site, Undelivered } from "../types";
import {  } from "../ui/texts";

export type Phase = "loading" | "ready" | "failed" | "missing";

export interface Upload {
  key: number;
  sessionId: string;
  name: string;
  size: number;
  share: number;
  id?: string;
  failed?: string;
  abort(): void;
}

export interface State {
  // sessions holds every session that was seen, order the ones in the list.
  readonly sessions: Sessions;
  readonly order: readonly string[];
  readonly nextCursor: string;
  // picked are the conversations that are selected, null while none are being selected.
  readonly picked: readonly string[] | null;
  readonly listPhase: Phase;
  // filter is a list of sessions: waiting, open, closed, snoozed, or "" for all.
  readonly filter: string;
  // whose restricts the list to "me", "none" (nobody's) or nobody, with "".
  readonly whose: string;
  readonly tag: string;
  readonly counts: Counts | null;
  readonly query: string;
  // allFound: all conversations that match are listed, not only the first.
  readonly allFound: boolean;
  // selected is the session of the address; messages and timeline are its.
  readonly selected: string;
  readonly threadPhase: Phase;
  readonly messages: readonly Message[];
  // undelivered is what did not reach a bridge of the selected session.
  readonly undelivered: readonly Undelivered[];
  readonly hasOlder: boolean;
  // hasNewer: the messages are a part of the history that does not reach its end.
  readonly hasNewer: boolean;
  // target is the message that was asked for, by a search or a quote.
  readonly target: string;
  readonly timeline: readonly Entry[];
  readonly quote: Message | null;
  readonly editing: Message | null;
  // saving is the message whose edit is on its way.
  readonly saving: Message | null;
  // drafts holds unsent text by session id, or by message id while one is edited.
  readonly drafts: Readonly<Record<string, string>>;
  readonly uploads: readonly Upload[];
  // typing names who types in which session: "" is the visitor.
  readonly typing: Readonly<Record<string, string | undefined>>;
  // viewers are the others who have a session on the screen.
  readonly viewers: Readonly<Record<string, readonly string[]>>;
  readonly presence: Presence | null;
  readonly lost: boolean;
  readonly failure: string;
  // outbox is what was written and waits to be stored by relay, oldest first.
  readonly outbox: readonly Pending[];
  // answer is relay's to a command; notes are the sessions in which an internal note is being written.
  readonly answer: string;
  readonly notes: readonly string[];
  readonly savedAnswers: readonly SavedAnswer[];
  // chosen is the place in the list of saved answers that fit what is typed, -1 for none.
  readonly chosen: number;
  readonly ai: AI | null;
  // page names the page of nav.ts that is shown, "" over the sessions; place is what follows in the address.
  readonly page: string;
  readonly place: string;
  // configs counts the times that settings may have changed elsewhere.
  readonly configs: number;
  readonly bridges: readonly Bridge[];
  // sites are the websites of this relay, none until they are known; site is the chosen one's id, "" for all.
  readonly sites: readonly Site[];
  readonly site: string;
  // gaveUp: a delivery failed for good since the page was last opened.
  readonly gaveUp: boolean;
}

export type Change = Partial<State>;
export type View = (now: State, before: State) => void;

// state is read everywhere and replaced by set only.
export let state: State = {
  sessions: new Sessions(), order: [], nextCursor: "", picked: null, listPhase: "loading", filter: "open", whose: "", tag: "", counts: null,
  query: "", allFound: false,
  selected: "", threadPhase: "loading", messages: [], hasOlder: false, hasNewer: false, target: "", timeline: [], undelivered: [],
  quote: null, editing: null, saving: null, drafts: {}, uploads: [], typing: {}, viewers: {}, presence: null, lost: false, failure: "",
  outbox: [], answer: "", notes: [], savedAnswers: [], chosen: -1, ai: null,
  page: "", place: "", configs: 0, bridges: [], sites: [], site: "", gaveUp: false,
};

const views: View[] = [];
let shown = state;
let queued = false;

export function subscribe(...more: View[]): void {
  views.push(...more);
}

function show(): void {
  const before = shown;
  queued = false;
  shown = state;
  for (const view of views) view(shown, before);
}

// set merges a change; views run once per turn, also in hidden tabs where animation frames stop.
export function set(change: Change): void {
  state = { ...state, ...change };
  if (!queued) queueMicrotask(show);
  queued = true;
}

// changed reports whether any of the parts differs.
export function changed(now: State, before: State, ...parts: (keyof State)[]): boolean {
  return parts.some((part) => now[part] !== before[part]);
}

// current is the selected session once it is known.
export function current(of: State = state): Session | undefined {
  return of.sessions.get(of.selected);
}

// attempt awaits an operator's action; when it fails it says so and yields undefined.
export async function attempt<T>(work: Promise<T>, what: string): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    set({ failure: what + ": " + (error as Error).message });
    return undefined;
  }
}
