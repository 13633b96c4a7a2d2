// panel.ts is the window of the chat: it puts the parts together, draws the
// state once per frame, and minds focus, theme and phones.

import type { Actions } from "./bubble";
import { formDue, loadForms, type Forms } from "./cards";
import { createComposer } from "./composer";
import { h, sheet } from "./dom";
import { createHeader } from "./header";
import { createLog } from "./log";
import css from "./panel.css";
import { fitPhone } from "./phone";
import * as t from "./strings";
import type { Core, Panel, Shell, State } from "./types";

/** mount draws the panel into the shell's shadow root, hidden at first. */
export function mount(shell: Shell, core: Core): Panel {
  const { root, options } = shell;
  const styles = [sheet(css)];
  root.adoptedStyleSheets.push(...styles);
  let asking: string | null = null;

  const ask = (id: string | null) => {
    asking = id;
    draw();
    const row = root.querySelector<HTMLElement>(`[data-id="${CSS.escape(id || "")}"]`);
    row?.querySelector<HTMLElement>(".meta button")?.focus();
  };
  const act: Actions = {
    ask,
    edit(id) {
      const message = core.store.state.messages.find((m) => m.id === id);
      if (message) composer.edit(message);
    },
    reply(id) {
      const message = core.store.state.messages.find((m) => m.id === id);
      if (message) composer.reply(message);
    },
    jump: (id) => void log.jump(id),
    remove(id) {
      asking = null;
      void core.remove(id);
      composer.focus();
    },
    retry: core.retry,
    discard: core.discard,
    handoff: core.handoff,
  };
  const header = createHeader(() => shell.close());
  const log = createLog(core, act, options.apiUrl);
  const composer = createComposer(core, { ask, afterSend: () => log.toEnd() });
  let forms: Forms | undefined;
  const askForms = loadForms(core, (made) => {
    forms = made;
    styles.push(made.styles);
    root.adoptedStyleSheets.push(made.styles);
    composer.node.before(made.form.node);
    log.append(made.csat.node);
    draw();
    // Who opened the chat waits for the form, unless the focus went elsewhere.
    const idle = document.activeElement === document.body || inside()?.matches(".close");
    if (idle && core.store.state.focus && core.store.state.open) focusFirst();
  });
  const lost = h("p", { class: "notice lost", role: "status", hidden: true }, t.lost);
  const notice = h("p", { class: "notice", role: "alert", hidden: true });
  const stop = h("p", { class: "stop", role: "alert", hidden: true });
  const panel = h(
    "section",
    { class: "panel", role: "dialog", "aria-labelledby": "title", lang: "en", hidden: true },
    header.node,
    lost,
    log.node,
    notice,
    composer.node,
    stop,
  );
  root.prepend(panel);
  const phone = fitPhone(panel);

  const onKey = (e: KeyboardEvent) => {
    if (e.key !== "Escape" || e.isComposing) return;
    e.stopPropagation();
    if (asking) ask(null);
    else if (!composer.cancel()) {
      shell.close();
      // After a click, Firefox and Safari would not show where the focus is now.
      shell.button.focus({ focusVisible: true } as FocusOptions);
    }
  };
  const enabled = () => !!core.store.state.config.attachments?.enabled;
  const onDrag = (e: DragEvent) => {
    if (!enabled() || !e.dataTransfer?.types.includes("Files")) return;
    e.preventDefault();
    panel.classList.toggle("drop", e.type !== "dragleave" && e.type !== "drop");
    if (e.type === "drop") core.upload(e.dataTransfer.files);
  };
  panel.addEventListener("keydown", onKey);
  for (const name of ["dragover", "dragleave", "drop"] as const) panel.addEventListener(name, onDrag);

  let before: State | null = null;
  let noticeTimer = 0;
  const draw = () => {
    const state = core.store.state;
    const due = formDue(state);
    const focused = inside();
    lost.hidden = state.connection !== "offline" || !!state.stop;
    notice.textContent = state.notice;
    notice.hidden = !state.notice;
    stop.textContent = state.stop && t.stops[state.stop];
    stop.hidden = !state.stop;
    // Before the first message the form comes first; later only if it must.
    composer.node.hidden = !!state.stop || !!(due && (due.required || due.timing !== "after_first_message"));
    const theme = options.theme || state.config.theme;
    panel.classList.toggle("dark", theme === "dark" || (theme !== "light" && dark.matches));
    header.update(state);
    log.update(state, asking);
    if (due || state.csat.askedAt) askForms();
    forms?.form.update(state);
    forms?.csat.update(state);
    if (!composer.node.hidden) composer.update(state);
    if (!before || before.open !== state.open) turn(state);
    else if (focused && (!inside() || inside()!.closest("[hidden]"))) focusFirst();
    if (state.notice && state.notice !== before?.notice) {
      clearTimeout(noticeTimer);
      noticeTimer = window.setTimeout(() => core.notice(""), 6_000);
    }
    before = state;
  };
  /** turn opens or closes; focus goes in with a visitor who asked for it. */
  const turn = (state: State) => {
    const focused = inside();
    panel.hidden = !state.open;
    phone.set(state.open);
    if (state.open) {
      log.toEnd();
      composer.update(state);
      if (state.focus) focusFirst();
    } else if (focused) shell.button.focus();
  };
  /** inside is the element of the panel that has the focus. */
  const inside = () => (panel.contains(root.activeElement) ? root.activeElement : null);
  const focusFirst = () => {
    const first = panel.querySelector<HTMLElement>(".form:not([hidden]) :is(input, select, textarea)");
    if (first) first.focus();
    else if (composer.node.hidden) panel.querySelector<HTMLElement>(".close")?.focus();
    else composer.focus();
  };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let frame = 0;
  const schedule = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      draw();
    });
  };
  const unsubscribe = core.store.subscribe(schedule);
  dark.addEventListener("change", schedule);
  draw();

  return {
    destroy() {
      unsubscribe();
      cancelAnimationFrame(frame);
      clearTimeout(noticeTimer);
      dark.removeEventListener("change", schedule);
      phone.set(false);
      panel.remove();
      root.adoptedStyleSheets = root.adoptedStyleSheets.filter((s) => !styles.includes(s));
    },
  };
}
