// actions.ts is what a visitor can do with a message: answer it, by button,
// swipe or key, change it, delete it. Loaded when a message is first touched.

import { createSwipe } from "./swipe";
import css from "./actions.css";
import { actions as english } from "../lang/en.json";
import type { Core, Message } from "../types";
import type { Composer } from "../write/composer";
import { h, iconButton, sheet, textButton } from "../ui/dom";

export interface RowActions {
  styles: CSSStyleSheet;
  /** Edits the visitor's newest message. */
  editLast(): void;
  key(id: string, key: string): void;
  /** Shows a message, also one that has to be loaded first. */
  jump(id: string): Promise<void>;
  /** Puts the buttons to the message that is pointed at or has the focus. */
  show(row: HTMLElement | null): void;
  /** Repairs what a new drawing of the log took away. */
  restore(): void;
  /** Ends the question before deleting; false if there was none. */
  cancel(): boolean;
}

/** What the part needs of the panel. */
export interface Place {
  scroller: HTMLElement;
  composer: Composer;
  /** Puts a message into the page, by its place among all. */
  reveal(at: number): void;
  /** Who wrote a message, and the message in one line. */
  inShort(message: Message): { name: string; text: string };
}

/** create acts on the rows of the log. */
export function create(core: Core, place: Place): RowActions {
  const { scroller } = place;
  const t = core.words("actions", english);
  let shown = "";
  let asking = "";
  const bar = h("div", { class: "actions" });
  const find = (id: string) => core.store.state.messages.find((m) => m.id === id && !m.deletedAt);
  const rowOf = (id: string) => scroller.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`);
  const ask = (id: string) => {
    const row = rowOf(asking);
    row?.classList.remove("asked");
    if (!id) row?.focus();
    asking = id;
    restore();
    if (id) question.querySelector("button")?.focus();
  };
  const { edit, key, remove } = createChanges(core, place, t, find, ask);
  const question = h("div", { class: "meta ask" }, h("span", null, t.removeAsk),
    textButton(t.remove, () => remove(asking)), textButton(t.keep, () => ask("")));
  const restore = () => {
    const asked = asking && find(asking) ? rowOf(asking) : null;
    if (asked) {
      if (question.parentNode !== asked) asked.append(question);
      asked.classList.add("asked");
    } else question.remove();
    const message = shown !== asking && find(shown);
    const line = message && rowOf(shown)?.querySelector(".line");
    if (!line) return bar.remove();
    if (bar.parentNode === line) return;
    const own = isOwn(message);
    bar.replaceChildren(...[
      iconButton(t.reply, "M9 7l-5 5 5 5M4 12h10a6 6 0 0 1 6 6", () => key(message.id)),
      own && message.content && iconButton(t.edit, "M4 20h4L19 9l-4-4L4 16z", () => edit(message)),
      own && iconButton(t.remove, "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13", () => ask(message.id)),
    ].filter((b) => !!b));
    line[own ? "prepend" : "append"](bar);
  };
  createSwipe(scroller, key);

  return {
    styles: sheet(css),
    jump: (id) => jump(core, place, id, rowOf),
    restore,
    editLast() {
      const last = core.store.state.messages.findLast((m) => isOwn(m) && !m.deletedAt && m.content);
      if (last) edit(last);
    },
    key,
    show(row) {
      shown = row?.dataset.id || "";
      restore();
    },
    cancel() {
      const had = !!asking;
      ask("");
      return had;
    },
  };
}

const isOwn = (m: Message) => m.sender === "visitor";

/** createChanges is what becomes of a message; ask is the question before it is deleted. */
function createChanges(
  core: Core, { composer, inShort }: Place, t: typeof english, find: (id: string) => Message | undefined, ask: (id: string) => void,
) {
  const { store, client } = core;
  /** revise shows a change at once. Refused, it is undone unless another came since, by the times. */
  const revise = async (old: Message, patch: Partial<Message>, method: string, path: string, body?: object) => {
    const next = { ...old, ...patch };
    store.set({ messages: store.state.messages.map((m) => (m.id === old.id ? next : m)) });
    try {
      await client.call(method, "messages/" + old.id + path, body);
      return true;
    } catch {
      const messages = store.state.messages.map((m) =>
        m.editedAt === next.editedAt && m.deletedAt === next.deletedAt ? old : m,
      );
      store.set({ messages, notice: t.unsaved });
      return false;
    }
  };
  /** editBar stands above the field and says what the text is for. */
  const editBar = (text: string, extra?: HTMLElement) =>
    h("div", { class: "flex editbar" }, h("span", { dir: "auto" }, text), extra, textButton(t.cancel, () => composer.cancel()));
  const edit = (message: Message, text = message.content) => {
    const { id } = message;
    const save = async (content: string) => {
      const old = find(id);
      if (!old || old.content === content) return;
      const body = { sessionId: store.state.sessionId, content };
      const patch = { content, editedAt: new Date().toISOString() };
      // The visitor's words are not lost when the server refuses them.
      if (!(await revise(old, patch, "PATCH", "", body))) edit(message, content);
    };
    const removal = textButton(t.remove, () => {
      composer.cancel();
      ask(id);
    });
    core.typing(false);
    composer.enter({ bar: editBar(t.editing, removal), save }, text);
  };
  return {
    edit,
    /** key answers a message, unless it is a key that does something else to the visitor's own. */
    key(id: string, key?: string) {
      const message = find(id);
      if (!message) return;
      const own = isOwn(message);
      if (key === "Delete") return own && ask(id);
      if (key === "Enter" && own) return edit(message);
      const { name, text } = inShort(message);
      const words = t.replyTo.replace("{name}", () => name).replace("{text}", () => text);
      composer.enter({ bar: editBar(words), replyTo: id });
    },
    remove(id: string) {
      const old = find(id);
      ask("");
      composer.focus();
      if (!old) return;
      const gone = { content: "", attachments: [], deletedAt: new Date().toISOString() };
      void revise(old, gone, "DELETE", "?sessionId=" + store.state.sessionId);
    },
  };
}

/** jump shows a message, and loads what is missing before. */
async function jump({ store, older }: Core, { reveal }: Place, id: string, rowOf: (id: string) => HTMLElement | null): Promise<void> {
  const at = () => store.state.messages.findIndex((m) => m.id === id);
  while (store.state.hasMore && at() < 0) {
    const oldest = store.state.messages[0];
    await older(100);
    if (store.state.messages[0] === oldest) return;
  }
  if (at() >= 0 && !rowOf(id)) reveal(at());
  rowOf(id)?.scrollIntoView({ block: "center" });
  rowOf(id)?.focus({ focusVisible: true } as FocusOptions);
}
