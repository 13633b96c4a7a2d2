// Drafts: text that the operator has typed and not sent. It is kept for this browser tab, so
// that neither a reload nor an expired sign-in takes it away.

import { me } from "./me";
import { set, state } from "./store";

const storageKey = "relay:drafts:" + me;

// draftKey names the draft that the composer shows: a session's, or that of the message being edited.
export function draftKey(of = state): string {
  return of.editing?.id ?? of.selected;
}

export function draftOf(key: string): string {
  return state.drafts[key] ?? "";
}

// setDraft stores a draft; an empty text removes it.
export function setDraft(key: string, text: string): void {
  const drafts: Record<string, string> = { ...state.drafts, [key]: text };
  if (!text) delete drafts[key];
  set({ drafts });
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(drafts));
  } catch {
    // Storage is full or forbidden: the draft lasts as long as the page.
  }
}

// giveBack puts a text that could not be sent back into the draft, before newer text.
export function giveBack(key: string, text: string): void {
  setDraft(key, [text, draftOf(key)].filter(Boolean).join("\n"));
}

// restoreDrafts restores the drafts that this tab stored before a reload.
export function restoreDrafts(): void {
  try {
    set({ drafts: JSON.parse(sessionStorage.getItem(storageKey) ?? "{}") as Record<string, string> });
  } catch {
    // Nothing usable is stored.
  }
}
