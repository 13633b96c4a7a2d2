// composer.ts is where the visitor writes: a growing text field, which a mode
// can borrow to answer or to change a message.

import { h, icon, set } from "../ui/dom";
import { t } from "../text/strings";
import type { Core, State } from "../types";

/** The server takes this many characters from a visitor. */
const LIMIT = 4_000;

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
  readonly mode: Mode | null;
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
export function createComposer(
  core: Core,
  actions: { afterSend(): void; editLast(): void },
): Composer {
  let mode: Mode | null = null;
  const field = h("textarea", {
    rows: 1,
    dir: "auto",
    placeholder: t.write,
    "aria-label": t.write,
    enterkeyhint: "send",
    oninput: () => onInput(),
    onkeydown: (e: KeyboardEvent) => onKey(e),
  });
  const count = h("span", { class: "count", role: "status" });
  const send = h("button", { type: "submit", class: "send" }, icon("M12 20V5m-7 7 7-7 7 7"));
  const entry = h("div", { class: "entry" }, field, send);
  const node = h(
    "form",
    { class: "composer", part: "composer", onsubmit: (e: Event) => onSubmit(e) },
    entry,
    count,
  );

  const onInput = () => {
    if (!mode?.save) {
      core.setDraft(field.value);
      core.typing(!!field.value.trim());
    }
    refresh();
  };
  const onKey = (e: KeyboardEvent) => {
    if (e.isComposing || e.keyCode === 229) return;
    if (e.key === "Enter" && !e.shiftKey) onSubmit(e);
    if (e.key === "ArrowUp" && !field.value && !mode) {
      e.preventDefault(); // the caret stays at the end of what is edited
      actions.editLast();
    }
  };
  const onSubmit = (e: Event) => {
    e.preventDefault();
    const { uploads } = core.store.state;
    if (!mode?.save && uploads.some((u) => u.error)) return core.notice(t.badFiles);
    if (!sendable()) return;
    const text = field.value.trim();
    const was = mode;
    cancel();
    if (was?.save) return was.save(text);
    core.submit(text, was?.replyTo);
    core.setDraft("");
    write("");
    actions.afterSend();
  };
  const sendable = () => {
    const length = [...field.value.trim()].length;
    const { uploads } = core.store.state;
    if (length > LIMIT) return false;
    if (mode?.save) return length > 0;
    return uploads.every((u) => u.attachment) && length + uploads.length > 0;
  };
  const refresh = () => {
    const length = field.value.length > LIMIT - 400 ? [...field.value.trim()].length : 0;
    count.textContent = length > LIMIT - 400 ? `${length} / ${LIMIT}` : "";
    set(count, "class", length > LIMIT ? "count bad" : "count");
    set(send, "aria-disabled", !sendable() && "true");
    set(send, "aria-label", mode?.save ? t.save : t.send);
    composer.onrefresh?.();
    field.style.height = "auto";
    field.style.height = `${field.scrollHeight + field.offsetHeight - field.clientHeight}px`; // the border counts, too
  };
  const write = (text: string) => {
    field.value = text;
    refresh();
  };
  const enter = (next: Mode, text?: string) => {
    cancel();
    mode = next;
    node.prepend(next.bar);
    write(text ?? field.value);
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  };
  const cancel = () => {
    if (!mode) return false;
    const { bar, save } = mode;
    mode = null;
    bar.remove();
    write(save ? core.store.state.draft : field.value);
    field.focus();
    return true;
  };

  const composer: Composer = {
    node,
    field,
    send,
    get mode() {
      return mode;
    },
    enter,
    cancel,
    above: (above) => entry.before(above),
    focus: () => field.focus(),
    update(state) {
      if (!mode?.save && field.value !== state.draft) write(state.draft);
      else refresh();
    },
  };
  return composer;
}
