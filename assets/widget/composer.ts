// composer.ts is where the visitor writes: a growing text field, the files of
// the message, and the same field again for editing an earlier message.

import { brief, nameOf } from "./bubble";
import { h, icon, iconButton, set, textButton } from "./dom";
import { createTray } from "./files";
import * as t from "./strings";
import type { Core, Message, State } from "./types";

/** The server takes this many characters from a visitor. */
const LIMIT = 4_000;

export interface Composer {
  node: HTMLElement;
  update(state: State): void;
  focus(): void;
  edit(message: Message): void;
  reply(message: Message): void;
  /** Ends editing or replying; false if there was neither. */
  cancel(): boolean;
}

/** createComposer calls afterSend so that the log can scroll to the end. */
export function createComposer(
  core: Core,
  actions: { afterSend(): void; ask(id: string): void },
): Composer {
  let editing: Message | null = null;
  let replying: Message | null = null;
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
      core.upload([...(picker.files || [])]);
      picker.value = "";
    },
  });
  const clip = "m20 11-8.5 8.5a5 5 0 0 1-7-7L13 4a3.3 3.3 0 0 1 4.7 4.7l-8.4 8.4a1.7 1.7 0 0 1-2.4-2.4L14 7.6";
  const attach = iconButton(t.attach, clip, () => picker.click());
  const send = h("button", { type: "submit", class: "send" }, icon("M12 20V5m-7 7 7-7 7 7"));
  const barText = h("span", { dir: "auto" });
  const removal = textButton(t.remove, () => {
    const id = editing?.id;
    cancel();
    if (id) actions.ask(id);
  });
  const bar = h(
    "div",
    { class: "editbar", hidden: true },
    barText,
    removal,
    textButton(t.cancel, () => cancel()),
  );
  const tray = createTray(core);
  const node = h(
    "form",
    { class: "composer", part: "composer", onsubmit: (e: Event) => onSubmit(e) },
    bar,
    tray.node,
    h("div", { class: "entry" }, attach, picker, field, send),
    count,
  );

  const onInput = () => {
    if (!editing) {
      core.setDraft(field.value);
      core.typing(!!field.value.trim());
    }
    refresh();
  };
  const onKey = (e: KeyboardEvent) => {
    if (e.isComposing || e.keyCode === 229) return;
    if (e.key === "Enter" && !e.shiftKey) onSubmit(e);
    if (e.key === "ArrowUp" && !field.value && !editing) {
      const last = core.store.state.messages.findLast(
        (m) => m.sender === "visitor" && !m.deletedAt && m.content,
      );
      if (!last) return;
      e.preventDefault();
      edit(last);
    }
  };
  const onSubmit = (e: Event) => {
    e.preventDefault();
    const { uploads } = core.store.state;
    if (!editing && uploads.some((u) => u.error)) return core.notice(t.badFiles);
    if (!sendable()) return;
    const text = field.value.trim();
    if (editing) void save(editing, text);
    else {
      core.submit(text, replying?.id);
      replying = null;
      core.setDraft("");
      write("");
      actions.afterSend();
    }
  };
  const save = async (message: Message, text: string) => {
    cancel();
    if (await core.edit(message.id, text)) return;
    // The visitor's words are not lost when the server refuses them.
    edit(message);
    write(text);
  };
  const takeFiles = (files: FileList | undefined, e: Event) => {
    if (!files?.length || !core.store.state.config.attachments?.enabled || editing) return;
    e.preventDefault();
    core.upload([...files]);
  };
  const sendable = () => {
    const length = [...field.value.trim()].length;
    const { uploads } = core.store.state;
    if (length > LIMIT) return false;
    if (editing) return length > 0;
    return uploads.every((u) => u.attachment) && length + uploads.length > 0;
  };
  const refresh = () => {
    const length = field.value.length > LIMIT - 400 ? [...field.value.trim()].length : 0;
    count.textContent = length > LIMIT - 400 ? `${length} / ${LIMIT}` : "";
    set(count, "class", length > LIMIT ? "count bad" : "count");
    set(send, "aria-disabled", !sendable() && "true");
    set(send, "aria-label", editing ? t.save : t.send);
    bar.hidden = !editing && !replying;
    removal.hidden = !editing;
    barText.textContent = editing ? t.editing : replying ? `${t.replyTo} ${nameOf(replying, fallback())}: ${brief(replying)}` : "";
    attach.hidden = !!editing || !core.store.state.config.attachments?.enabled;
    field.style.height = "auto";
    field.style.height = `${field.scrollHeight + field.offsetHeight - field.clientHeight}px`; // the border counts, too
  };
  const write = (text: string) => {
    field.value = text;
    refresh();
  };
  const fallback = () => core.store.state.config.operatorName || t.operator;
  const reply = (message: Message) => {
    cancel();
    replying = message;
    refresh();
    field.focus();
  };
  const edit = (message: Message) => {
    editing = message;
    replying = null;
    core.typing(false);
    write(message.content);
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  };
  const cancel = () => {
    if (!editing && !replying) return false;
    const wasEditing = !!editing;
    editing = replying = null;
    if (wasEditing) write(core.store.state.draft);
    else refresh();
    field.focus();
    return true;
  };

  return {
    node,
    edit,
    reply,
    cancel,
    focus: () => field.focus(),
    update(state) {
      picker.accept = (state.config.attachments?.types || []).join(",");
      tray.update(state);
      if (!editing && field.value !== state.draft) write(state.draft);
      else refresh();
    },
  };
}
