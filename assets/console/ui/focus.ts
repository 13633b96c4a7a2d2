// The focus stays in place when the focused element is redrawn, hidden or removed.

const isVisible = (el: Element | null): el is HTMLElement => !!el?.getClientRects().length;

// keepFocus draws, and moves the focus of an element that is gone to its replacement or a
// neighbour; left is the session that was shown before.
export function keepFocus(draw: () => void, left: string): void {
  const held = document.activeElement ?? document.body;
  const message = '[data-id="' + CSS.escape(held.closest<HTMLElement>(".message")?.dataset["id"] ?? "") + '"]';
  const near = held.closest(".list") ? "#log" : held.closest(".settings") ? ".settings:not([hidden]) h1" : "#composer";
  draw();
  const now = document.activeElement;
  if (isVisible(held) || (now !== held && now !== document.body)) return;
  const same = message + ' [aria-label="' + CSS.escape(held.ariaLabel ?? "") + '"]';
  const row = '#rows [href="#/sessions/' + CSS.escape(left) + '"]';
  for (const place of [same, message, near, row, "#rows a", "#search"]) {
    const el = document.querySelector(place);
    if (isVisible(el)) return el.focus();
  }
}
