// cards.ts decides when the forms are wanted: few visitors see one.

import type { PreChatForm, State } from "../types";

export interface Card {
  node: HTMLElement;
  update(state: State, due: PreChatForm | null): void;
}

/** Forms are what forms.ts makes: one above the composer, the others below the messages. */
export interface Forms {
  form: HTMLElement;
  below: HTMLElement;
  styles: CSSStyleSheet;
  update(state: State, due: PreChatForm | null): void;
}

/** formDue reports whether the pre-chat form is to be shown now. */
export function formDue(state: State): PreChatForm | null {
  const form = state.config.preChatForm;
  if (!state.ready || !form?.fields?.length || state.prechatDone) return null;
  const wrote = state.pending.length > 0 || state.messages.some((m) => m.sender === "visitor");
  return wrote === (form.timing === "after_first_message") ? form : null;
}

