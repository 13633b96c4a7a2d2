// phone.ts makes the panel a full-screen, modal page on small screens, above
// the keyboard, with the rest of the page out of reach.

/** fitPhone follows the screen, unless the panel is a part of the page; set reports whether it is open. */
export function fitPhone(panel: HTMLElement, inline: boolean): { set(open: boolean): void } {
  const small = matchMedia("(max-width: 480px)");
  const view = window.visualViewport;
  let open = false;
  let held = false;

  const apply = () => {
    const modal = open && small.matches && !inline;
    if (modal !== held) {
      held = modal;
      document.body.inert = modal;
      panel.ariaModal = modal ? "true" : null;
    }
    // The keyboard covers the layout viewport; only the visual one is seen.
    panel.style.setProperty("--top", modal && view ? `${view.offsetTop}px` : "");
    panel.style.setProperty("--tall", modal && view ? `${view.height}px` : "");
  };
  return {
    set(now) {
      if (now !== open) {
        const change = now ? "addEventListener" : "removeEventListener";
        small[change]("change", apply);
        view?.[change]("resize", apply);
        view?.[change]("scroll", apply);
      }
      open = now;
      apply();
    },
  };
}
