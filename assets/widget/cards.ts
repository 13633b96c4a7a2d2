// cards.ts loads the forms when one is due: few visitors see one.

import type { Core, PreChatForm, State } from "./types";

export interface Card {
  node: HTMLElement;
  update(state: State): void;
}

/** Forms are what forms.ts makes. */
export interface Forms {
  form: Card;
  csat: Card;
  styles: CSSStyleSheet;
}

/** formDue tells whether the pre-chat form is to be shown now. */
export function formDue(state: State): PreChatForm | null {
  const form = state.config.preChatForm;
  if (!state.ready || !form?.fields?.length || state.prechatDone) return null;
  const wrote = state.pending.length > 0 || state.messages.some((m) => m.sender === "visitor");
  return wrote === (form.timing === "after_first_message") ? form : null;
}


/** loadForms calls show once the forms are there; it tries until then. */
export function loadForms(core: Core, show: (forms: Forms) => void): () => void {
  let loading = false;
  let tries = "";
  const load = async () => {
    if (loading) return;
    loading = true;
    try {
      const { create } = await import(new URL(FORMS_FILE + tries, import.meta.url).href);
      show(create(core));
    } catch {
      tries += "?"; // some browsers remember a failed import
      setTimeout(() => {
        loading = false;
        void load();
      }, 3_000);
    }
  };
  return load;
}
