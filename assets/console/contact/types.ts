import type { Session } from "../types";

export interface Note {
  id: string;
  content: string;
  createdAt: string;
  authorName?: string;
  authorId?: string;
}

export interface Contact {
  name: string;
  fields: Record<string, string>;
  notes: Note[];
  verified: boolean;
  firstSeen?: string;
  lastSeen?: string;
  conversations: Session[];
  hasMore: boolean;
  // claims are conversations of others who say the same of themselves.
  claims: Session[];
}

// Again draws the contact as an answer of the API has it.
export type Again = (next: Contact) => void;
