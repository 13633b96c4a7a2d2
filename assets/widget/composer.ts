// composer.ts is where the visitor writes: a growing text field, which a mode
// can borrow to answer or to change a message.

import { h, icon, iconButton, set } from "./dom";
import { t } from "./strings";
import type { Core, State } from "./types";

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
  actions: { afterSend(): void; editLast(): void; upload(files: File[]): void },
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
    onpaste: (e: ClipboardEvent) => takeFiles(e.clipboardData?.files, e),
  });
  const count = h("span", { class: "count", role: "status" });
  const picker = h("input", {
    type: "file",
    multiple: true,
    hidden: true,
    onchange: () => {
      actions.upload([...(picker.files || [])]);
      picker.value = "";
    },
  });
  const clip = "m20 11-8.5 8.5a5 5 0 0 1-7-7L13 4a3.3 3.3 0 0 1 4.7 4.7l-8.4 8.4a1.7 1.7 0 0 1-2.4-2.4L14 7.6";
  const attach = iconButton(t.attach, clip, () => picker.click());
  const send = h("button", { type: "submit", class: "send" }, icon("M12 20V5m-7 7 7-7 7 7"));
  const entry = h("div", { class: "entry" }, attach, picker, field, send);
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
  const takeFiles = (files: FileList | undefined, e: Event) => {
    if (!files?.length || !core.store.state.config.attachments?.enabled || mode?.save) return;
    e.preventDefault();
    actions.upload([...files]);
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
    attach.hidden = !!mode?.save || !core.store.state.config.attachments?.enabled;
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

  return {
    node,
    enter,
    cancel,
    above: (above) => entry.before(above),
    focus: () => field.focus(),
    update(state) {
      picker.accept = (state.config.attachments?.types || []).join(",");
      if (!mode?.save && field.value !== state.draft) write(state.draft);
      else refresh();
    },
  };
}
