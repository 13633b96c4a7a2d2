// Drafts: text that the operator has typed and not sent, and whether it is an internal note. It is kept for this
// browser tab, so that neither a reload nor an expired sign-in takes it away.

import { me } from "./me";
import { set, state } from "./store";

const storageKey = "relay:drafts:" + me;
const notesKey = "relay:notes:" + me;

// draftKey names the draft that the composer shows: a session's, or that of the message being edited.
export function draftKey(of = state): string {
  return of.editing?.id ?? of.selected;
}

export function draftOf(key: string): string {
  return state.drafts[key] ?? "";
}

function store(key: string, value: unknown): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Storage is full or forbidden: the draft lasts as long as the page.
  }
}

// setDraft stores a draft; an empty text removes it.
export function setDraft(key: string, text: string): void {
  const drafts: Record<string, string> = { ...state.drafts, [key]: text };
  if (!text) delete drafts[key];
  set({ drafts });
  store(storageKey, drafts);
}

// setNoting notes whether what is typed in a session is an internal note.
export function setNoting(sessionId: string, on: boolean): void {
  const others = state.notes.filter((id) => id !== sessionId);
  const notes = on ? [...others, sessionId] : others;
  set({ notes });
  store(notesKey, notes);
}

// isNoting reports whether what is typed in the open session is an internal note.
export const isNoting = (of = state): boolean => of.notes.includes(of.selected);

// giveBack puts a text that could not be sent back into the draft, before newer text.
export function giveBack(key: string, text: string): void {
  setDraft(key, [text, draftOf(key)].filter(Boolean).join("\n"));
}

function read<T>(key: string, none: T): T {
  try {
    return (JSON.parse(sessionStorage.getItem(key) ?? "null") as T) ?? none;
  } catch {
    return none;
  }
}

// restoreDrafts restores what this tab stored before a reload.
export function restoreDrafts(): void {
  set({ drafts: read<Record<string, string>>(storageKey, {}), notes: read<string[]>(notesKey, []) });
}
