// The menu of the person who is signed in, at the top right.

import { ask } from "../ui/ask";
import { face } from "../ui/avatar";
import { byId, on } from "../ui/dom";
import { me } from "../state/me";
import { clearOutbox } from "../inbox/outbox";
import { state } from "../state/store";

function show(open: boolean): void {
  byId("me-menu").hidden = !open;
  byId("me").setAttribute("aria-expanded", String(open));
}

// closeMenu closes the menu and reports whether it was open.
export function closeMenu(): boolean {
  if (byId("me-menu").hidden) return false;
  show(false);
  byId("me").focus();
  return true;
}

// signOut asks before it takes unsent answers from the browser.
async function signOut(e: Event): Promise<void> {
  const n = state.outbox.length;
  if (!n) return;
  e.preventDefault();
  const question = n === 1
    ? "One message has not been sent yet. Signing out discards it."
    : n + " messages have not been sent yet. Signing out discards them.";
  if (!(await ask(question, "Sign out"))) return;
  clearOutbox();
  (e.target as HTMLFormElement).submit();
}

export function wirePerson(): void {
  byId("sign-out").addEventListener("submit", (e) => void signOut(e));
  byId("me-face").replaceWith(face(me ?? "", me ?? "", "small"));
  on("me", "click", () => show(byId("me-menu").hidden));
  document.addEventListener("pointerdown", (e) => {
    if (!byId("person").contains(e.target as Node)) show(false);
  });
  on("person", "focusout", (e) => {
    const to = (e as FocusEvent).relatedTarget as Node | null;
    if (to && !byId("person").contains(to)) show(false);
  });
}
