// composer.ts is where the visitor writes: a growing text field, which a mode
// can borrow to answer or to change a message.

import { h, icon, set } from "../ui/dom";
import { t } from "../text/strings";
import type { Core, State } from "../types";

/** The server takes this many characters from a visitor. */
export const LIMIT = 4_000;

export interface Composer {
  node: HTMLElement;
  update(state: State): void;
  focus(): void;
  /** Begins a mode; text is what then stands in the field. */
  enter(mode: Mode, text?: string): void;
  /** Ends the mode; false if there was none. */
  cancel(): boolean;
  /** Puts a node above the field. */
  above(node: HTMLElement): void;
  field: HTMLTextAreaElement;
  send: HTMLElement;
  mode: Mode | null;
  /** Follows each change of the field. */
  onrefresh?(): void;
}

/** Mode is another use of the field than a new message. */
export interface Mode {
  /** Stands above the field as long as the mode lasts. */
  bar: HTMLElement;
  /** Takes the text, instead of it being sent. */
  save?(text: string): void;
  replyTo?: string;
}

/** createComposer calls afterSend so that the log can scroll to the end. */
export function createComposer(core: Core, actions: { afterSend(): void; editLast(): void }): Composer {
  const field = h("textarea", {
    rows: 1, dir: "auto", placeholder: t.write, "aria-label": t.write, enterkeyhint: "send",
    oninput: () => {
      if (!composer.mode?.save) {
        core.setDraft(field.value);
        core.typing(!!field.value.trim());
      }
      refresh();
    },
    onkeydown: (e: KeyboardEvent) => {
      if (e.isComposing || e.keyCode === 229) return;
      if (e.key === "Enter" && !e.shiftKey) onsubmit(e);
      if (e.key === "ArrowUp" && !field.value && !composer.mode) {
        e.preventDefault(); // the caret stays at the end of what is edited
        actions.editLast();
      }
    },
  });
  const send = h("button", { type: "submit", class: "send" }, icon("M12 20V5m-7 7 7-7 7 7"));
  const entry = h("div", { class: "entry" }, field, send);
  const onsubmit = (e: Event) => {
    e.preventDefault();
    if (submit(core, composer, write)) actions.afterSend();
  };
  const refresh = () => {
    set(send, "aria-disabled", !isSendable(core, composer) && "true");
    set(send, "aria-label", composer.mode?.save ? t.save : t.send);
    composer.onrefresh?.();
    field.style.height = "auto";
    field.style.height = field.scrollHeight + field.offsetHeight - field.clientHeight + "px"; // the border counts, too
  };
  const write = (text: string) => {
    field.value = text;
    refresh();
  };
  const composer: Composer = {
    node: h("form", { class: "composer", part: "composer", onsubmit }, entry),
    field,
    send,
    mode: null,
    enter(mode, text) {
      composer.cancel();
      composer.mode = mode;
      composer.node.prepend(mode.bar);
      write(text ?? field.value);
      field.focus();
      field.setSelectionRange(field.value.length, field.value.length);
    },
    cancel: () => endMode(core, composer, write),
    above: (above) => entry.before(above),
    focus: () => field.focus(),
    update: (state) => (!composer.mode?.save && field.value !== state.draft ? write(state.draft) : refresh()),
  };
  return composer;
}

/** endMode gives the field back to the new message. */
function endMode({ store }: Core, composer: Composer, write: (text: string) => void): boolean {
  const { mode, field } = composer;
  if (!mode) return false;
  composer.mode = null;
  mode.bar.remove();
  write(mode.save ? store.state.draft : field.value);
  field.focus();
  return true;
}

/** submit reports whether a message was sent. */
function submit(core: Core, composer: Composer, write: (text: string) => void): boolean {
  const { mode, field } = composer;
  if (!mode?.save && core.store.state.uploads.some((u) => u.error)) core.notice(t.badFiles);
  else if (isSendable(core, composer)) {
    const text = field.value.trim();
    composer.cancel();
    if (!mode?.save) {
      core.submit(text, mode?.replyTo);
      core.setDraft("");
      write("");
      return true;
    }
    mode.save(text);
  }
  return false;
}

function isSendable({ store }: Core, { mode, field }: Composer): boolean {
  const { uploads } = store.state;
  const length = [...field.value.trim()].length;
  if (length > LIMIT) return false;
  if (mode?.save) return length > 0;
  return uploads.every((u) => u.attachment) && length + uploads.length > 0;
}
