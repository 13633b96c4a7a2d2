// swipe.ts answers a message that a finger pulls aside, as phones' messengers do.

/** A pull this far is meant. */
const FAR = 56;

/** createSwipe calls onSwipe with the id of a message that was pulled far enough. */
export function createSwipe(scroller: HTMLElement, onSwipe: (id: string) => void): void {
  let row: HTMLElement | null = null;
  let from: Touch | null = null;
  let by = 0;

  const end = () => {
    if (row) row.style.translate = "";
    if (row && by >= FAR) onSwipe(row.dataset.id!);
    row = from = null;
    by = 0;
  };
  scroller.addEventListener("touchstart", (e) => {
    end();
    from = e.touches.length === 1 ? e.touches[0]! : null;
  }, { passive: true });
  scroller.addEventListener("touchmove", (e) => {
    const touch = e.touches[0]!;
    from ||= touch; // the part came while the finger was down
    const right = touch.clientX - from.clientX;
    const down = touch.clientY - from.clientY;
    if (!row && Math.abs(down) * 2 > Math.abs(right)) return;
    row ||= (e.target as HTMLElement).closest<HTMLElement>(".row[data-id]:not([data-id=''])");
    if (!row) return;
    // Towards the middle of the page, in either direction of writing.
    by = Math.max(0, getComputedStyle(row).direction === "rtl" ? -right : right);
    row.style.translate = `${Math.sign(right) * Math.min(by, FAR + 8)}px`;
  }, { passive: true });
  scroller.addEventListener("touchend", end);
  scroller.addEventListener("touchcancel", () => {
    by = 0;
    end();
  });
}
