// The menu of the person who is signed in, at the top right.

import { face } from "./avatar";
import { byId, on } from "./dom";
import { me } from "./me";

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

export function wirePerson(): void {
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
