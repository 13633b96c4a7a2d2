// panel.ts is the window of the chat: it puts the parts together, draws the
// state once per frame, and minds focus, theme and phones.

import type { Menu } from "./menu";
import css from "./panel.css";
import { createComposer, type Composer } from "../write/composer";
import { createLog } from "../chat/log";
import { h, sheet } from "../ui/dom";
import { brief, nameOf, type Actions, type View } from "../chat/bubble";
import type { Place, RowActions } from "../chat/actions";
import { dark, paint } from "../ui/scheme";
import type { Bench, Tools } from "../write/tools";
import type { Core, Panel, Shell, State } from "../types";
import { fitPhone } from "./phone";
import { prepare, timeOf, weekdayOf } from "../text/time";
import { createLazy, type Lazy } from "../ui/lazy";
import { createHeader } from "./header";
import { named, speak, t } from "../text/strings";
import type { Marks } from "../chat/marks";
import type { Home } from "./home";
import { formDue, type Forms } from "./cards";

/** Texts in which there may be more to show than is written. */
const MARKS = /[*_~`[]|https?:|mailto:|^\s*(?:[-•#>]|\d+[.)])|^\P{L}+$/mu;

/** Languages that are written from right to left: no other has these letters. */
const RTL = /ar|he/;

/** isPlain reports whether a message is no more than its text. */
const isPlain = ({ deleted, content, attachments }: View) =>
  deleted || !(attachments[0] || MARKS.test(content));

/** mount draws the panel once the visitor's language is there, and again in another one. */
export async function mount(shell: Shell, core: Core): Promise<Panel> {
  await core.spoken;
  const sign = ({ language, config }: State) => language + JSON.stringify(config.texts?.[language]);
  let spoken = sign(core.store.state);
  let panel = draw(shell, core);
  const unsubscribe = core.store.subscribe(() => {
    const now = sign(core.store.state);
    if (now === spoken) return;
    spoken = now;
    panel.destroy();
    panel = draw(shell, core);
  });
  return {
    destroy() {
      unsubscribe();
      panel.destroy();
    },
  };
}

/** draw puts a panel into the shell's shadow root, hidden at first. */
function draw(shell: Shell, core: Core): Panel {
  speak(core);
  prepare();
  const { root, options } = shell;
  const inline = options.mode === "inline";
  const styles: CSSStyleSheet[] = [];
  const style = (sheet?: CSSStyleSheet) => {
    if (!sheet) return;
    styles.push(sheet);
    root.adoptedStyleSheets.push(sheet);
  };
  style(sheet(css));
  const act: Actions = {
    key: (id, key) => rows.with((r) => r.key(id, key)),
    drawn: () => rows.made?.restore(),
    jump: (id) => rows.with((r) => void r.jump(id)),
    retry: core.retry,
    discard: core.discard,
    handoff: () => core.method("handoff").catch(() => core.notice(t.failed)),
    choose: (text) => void core.method("sendMessage", text).catch(() => {}), // the log says so
    begin: () => menu.with((m) => m.begin()),
    raw: (v) => isPlain(v) || (marks.want(), !marks.made),
    rich: (v) => marks.made!.draw(v),
    play: (holder) => tools.with((made) => made.play(holder)),
  };
  const header = createHeader(() => shell.close(), (button) => menu.with((m) => m.toggle(button)), options.apiUrl);
  const log = createLog(core, act, options.apiUrl);
  const composer = createComposer(core, {
    editLast: () => rows.with((r) => r.editLast()),
    afterSend: () => log.toEnd(),
  });
  const lazy = createLazy(shell, core, style);
  const place: Place & Bench = {
    scroller: log.scroller, reveal: log.reveal, composer, lazy,
    inShort: (m) => ({ name: nameOf(m, named(core.store.state)), text: brief(m) }),
  };
  const marks = lazy<Marks>(MARKS_FILE, { act, apiUrl: options.apiUrl }, () => log.update(core.store.state));
  const rows = lazy<RowActions>(ACTIONS_FILE, place);
  const tools = lazy<Tools>(TOOLS_FILE, place);
  const forms = lazy<Forms>(FORMS_FILE, shell, (made) => {
    composer.node.before(made.form);
    log.append(made.below);
    update();
    // The visitor opened the chat before its form was there: focus it, unless the focus is elsewhere. In a closed chat nothing takes it.
    const idle = (root.activeElement || document.activeElement)?.matches(".launcher, .close, body");
    if (idle && core.store.state.focus) focusFirst();
  });
  const lost = h("p", { class: "notice lost", role: "status" }, t.lost);
  const notice = h("p", { class: "notice", role: "alert" });
  const stop = h("p", { class: "stop", role: "alert" });
  const panel = h(
    "section",
    { class: "panel", role: inline ? "region" : "dialog", "aria-labelledby": "title", lang: core.store.state.language,
      dir: RTL.test(core.store.state.language) ? "rtl" : "ltr", hidden: true },
    header.node, lost, log.node, notice, composer.node, stop,
  );
  root.prepend(panel);
  const focusFirst = () => focusIn(panel, composer);
  const menu = lazy<Menu>(MENU_FILE, { shell, panel, failed: t.failed, focus: focusFirst });
  const home = lazy<Home>(HOME_FILE, { timeOf, weekdayOf }, (made) => {
    log.scroller.append(made.node);
    update();
    log.scroller.scrollTop = 0; // it is read from the top
  });
  const phone = fitPhone(panel, inline);

  panel.addEventListener("keydown", (e) => escape(e, shell, [menu.made, tools.made, rows.made, composer]));
  /** inside is the element of the panel that has the focus. */
  const inside = () => (panel.contains(root.activeElement) ? root.activeElement : null);
  pointAt(log.scroller, rows, inside);

  let before: State | null = null;
  let noticeTimer = 0;
  const update = () => {
    const state = core.store.state;
    const { notice: said, stop: ended, config, messages, pending } = state;
    const due = formDue(state);
    const focused = inside();
    lost.hidden = state.connection !== "offline" || !!ended;
    notice.textContent = said;
    notice.hidden = !said;
    stop.textContent = ended && t[ended];
    stop.hidden = !ended;
    // Before the first message the form comes first; later only if it must.
    composer.node.hidden = !!ended || !!(due && (due.required || due.timing !== "after_first_message"));
    paint(panel, options.theme || config.theme);
    header.update(state);
    log.update(state);
    tools.made?.update(state);
    if (due || state.csat.askedAt || state.askContact) forms.want();
    forms.made?.update(state, due);
    const fresh = state.ready && !ended && !messages.length && !pending.length && !state.greeting;
    panel.classList.toggle("fresh", fresh);
    if (fresh && (config.starters?.length || state.hours?.length)) home.want();
    home.made?.update(state, fresh && !composer.node.hidden);
    if (!composer.node.hidden) composer.update(state);
    if (!before || before.open !== state.open) turn(state);
    else if (focused && (!inside() || inside()!.closest("[hidden]"))) focusFirst();
    if (said !== before?.notice) {
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
      setTimeout(tools.want, 100); // behind the opening
      log.toEnd();
      composer.update(state);
      if (state.focus) focusFirst();
    } else if (focused) shell.button.focus();
  };
  let frame = 0;
  const schedule = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      update();
    });
  };
  const unsubscribe = core.store.subscribe(schedule);
  dark.addEventListener("change", schedule);
  update();

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

/** escape ends what was begun last, or closes the chat. */
function escape(e: KeyboardEvent, { close, button }: Shell, begun: ({ cancel(): boolean } | undefined)[]): void {
  if (e.key !== "Escape" || e.isComposing) return;
  e.stopPropagation();
  if (begun.some((one) => one?.cancel())) return;
  close();
  // After a click, Firefox and Safari would not show where the focus is now.
  button.focus({ focusVisible: true } as FocusOptions);
}

/** pointAt shows the buttons of a message while it is pointed at or has the focus. */
function pointAt(scroller: HTMLElement, rows: Lazy<RowActions>, inside: () => Element | null): void {
  const onPoint = ({ type, target }: Event) => {
    const leaves = type === "pointerleave";
    const at = (leaves ? inside() : (target as HTMLElement))?.closest<HTMLElement>(".row");
    if (at) rows.with((r) => r.show(at));
    else if (leaves) rows.made?.show(null);
  };
  for (const name of ["pointerover", "focusin", "touchstart", "pointerleave"]) {
    scroller.addEventListener(name, onPoint, { passive: true });
  }
}

/** focusIn moves the focus to a form that is to be filled in, else to the field. */
function focusIn(panel: HTMLElement, composer: Composer): void {
  const field = panel.querySelector<HTMLElement>(".form:not([hidden]) :is(input, select, textarea)");
  const other = composer.node.hidden ? panel.querySelector<HTMLElement>(".close") : composer;
  (field || other)?.focus();
}
