// The menu of the person who is signed in, at the top right. Loaded after the inbox, with what reports their presence.

import { ask } from "../ui/ask";
import { byId, on, setText } from "../ui/dom";
import { clearOutbox } from "../inbox/outbox";
import { wirePresence } from "./presence";
import { wireViewing } from "./viewing";
import { state } from "../state/store";
import { tr } from "../ui/texts";

function show(open: boolean): void {
  byId("me-menu").hidden = !open;
  byId("me").setAttribute("aria-expanded", String(open));
}

// escape closes the open menu, before Escape closes anything else.
function escape(e: KeyboardEvent): void {
  if (e.key !== "Escape" || byId("me-menu").hidden) return;
  e.stopPropagation();
  show(false);
  byId("me").focus();
}

// signOut asks before it takes unsent answers from the browser.
async function signOut(e: Event): Promise<void> {
  const n = state.outbox.length;
  if (!n) return;
  e.preventDefault();
  const question = n === 1
    ? tr("One message has not been sent yet. Signing out discards it.")
    : tr("{n} messages have not been sent yet. Signing out discards them.", { n });
  if (!(await ask(question, tr("Sign out")))) return;
  clearOutbox();
  (e.target as HTMLFormElement).submit();
}

byId("sign-out").addEventListener("submit", (e) => void signOut(e));
on("me", "click", () => show(byId("me-menu").hidden));
document.addEventListener("keydown", escape, { capture: true });
document.addEventListener("pointerdown", (e) => {
  if (!byId("person").contains(e.target as Node)) show(false);
});
on("person", "focusout", (e) => {
  const to = (e as FocusEvent).relatedTarget as Node | null;
  if (to && !byId("person").contains(to)) show(false);
});
if (/Mac|iP/.test(navigator.platform)) setText("find-key", "⌘K");
wirePresence();
wireViewing();
