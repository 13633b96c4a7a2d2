// Drafts: text that the operator has typed and not sent. It is kept for this browser tab, so
// that neither a reload nor an expired sign-in takes it away.

import { me } from "./me";
import { set, state } from "./store";

const place = "relay:drafts:" + me;

// draftKey names the draft that the composer shows: a session's, or that of the message being edited.
export function draftKey(of = state): string {
  return of.editing?.id ?? of.selected;
}

export function draftOf(key: string): string {
  return state.drafts[key] ?? "";
}

// setDraft keeps a text; an empty one is none.
export function setDraft(key: string, text: string): void {
  const drafts: Record<string, string> = { ...state.drafts, [key]: text };
  if (!text) delete drafts[key];
  set({ drafts });
  try {
    sessionStorage.setItem(place, JSON.stringify(drafts));
  } catch {
    // A full or forbidden storage: the draft lasts as long as the page.
  }
}

// giveBack puts a text that could not be sent before what was typed since.
export function giveBack(key: string, text: string): void {
  setDraft(key, [text, draftOf(key)].filter(Boolean).join("\n"));
}

// restoreDrafts brings back what an earlier page of this tab kept.
export function restoreDrafts(): void {
  try {
    set({ drafts: JSON.parse(sessionStorage.getItem(place) ?? "{}") as Record<string, string> });
  } catch {
    // There is nothing to bring back.
  }
}
