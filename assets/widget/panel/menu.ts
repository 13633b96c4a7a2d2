// menu.ts is what the button with the three dots opens: new and earlier
// conversations, the transcript, sounds, and the end of the conversation.

import css from "./menu.css";
import { menu as english } from "../lang/en.json";
import { CROSS, h, icon, iconButton, set, sheet, textButton } from "../ui/dom";
import type { Core, Earlier, Message, Shell } from "../types";

/** The answer of POST /api/widget/link. */
interface ConversationLink {
  url: string;
  /** The data of an SVG path, and how long its sides are. */
  code: string;
  size: number;
}

export interface Menu {
  styles: CSSStyleSheet;
  toggle(button: HTMLElement): void;
  /** Begins a new conversation; the present one becomes an earlier one. */
  begin(): void;
  /** Closes what is open; false if nothing was. */
  cancel(): boolean;
}

/** What the menu needs of the panel. */
export interface MenuPlace {
  shell: Shell;
  panel: HTMLElement;
  /** What to say when something did not work. */
  failed: string;
  /** Moves the focus into the conversation. */
  focus(): void;
}

/** create makes the menu; nothing is shown yet. */
export function create(core: Core, { shell, panel, failed, focus }: MenuPlace): Menu {
  const { store } = core;
  const { storage, options } = shell;
  const t = core.words("menu", english);
  const { show, close, toggle, walk } = createOpening(panel);
  const trouble = () => core.notice(failed);
  const method = (name: string) => core.method(name).catch(trouble);
  const earlier = () => storage.get<Earlier[]>("chats") || [];
  const leave = (next: Earlier | null) => {
    close(false);
    void core.method("turnTo", next && { sessionId: next.id, sessionToken: next.token }).then(focus, trouble);
  };
  const item = (name: string, path: string, run: () => void, keep?: boolean) => {
    const onclick = () => {
      if (!keep) close();
      run();
    };
    return h("button", { class: "item", role: "menuitem", onclick }, icon(path), name);
  };
  const toDevice = () => {
    core.post<ConversationLink>("link", {}).then((link) => show(deviceOf(link, t, close)), trouble);
  };
  const byMail = () => {
    core.post<{ text: string }>("transcript", { language: store.state.language }).then(({ text }) => core.notice(text), trouble);
  };
  const question = () => {
    const end = () => {
      close();
      method("endChat");
    };
    return h("div", { class: "box menu ask", role: "group", "aria-label": t.endAsk }, h("p", null, t.endAsk),
      h("div", { class: "flex" }, h("button", { class: "main", onclick: end }, t.end), textButton(t.endKeep, close)));
  };
  const draw = () => {
    const { messages, closed, stop, language, config, identity } = store.state;
    const muted = storage.get("muted");
    return h("div", { class: "box menu", role: "menu", onkeydown: walk },
      messages[0] && item(t.newChat, "M12 5v14M5 12h14", () => leave(null)),
      earlier()[0] && item(t.chats, "M4 6h16M4 12h16M4 18h10",
        () => show(listOf(earlier(), messages.at(-1), t, language, leave, close)), true),
      messages[0] && !stop && item(t.device, "M4 5h12v8H4zM2 17h11M17 9h5v11h-5z", toDevice, true),
      messages[0] && item(t.transcript, "M12 4v11m-5-5 5 5 5-5M5 20h14", () => method("requestTranscript")),
      config.mailTranscript && identity.email && messages[0] && item(t.mail, "M3 6h18v12H3zl9 7 9-7", byMail),
      String(options.sound) !== "false" &&
        item(muted ? t.unmute : t.mute, "M4 9v6h4l5 4V5L8 9zM17 9q2 3 0 6", () => storage.set("muted", !muted || null)),
      messages[0] && !closed && !stop && item(t.end, CROSS, () => show(question()), true));
  };
  return {
    styles: sheet(css),
    begin: () => leave(null),
    cancel: close,
    toggle(button) {
      toggle(button, draw);
      if (storage.get("identified")) core.method("gather").catch(() => {});
    },
  };
}

/** createOpening holds what is open below the button: the menu, or what was chosen in it. */
function createOpening(panel: HTMLElement) {
  let opener: HTMLElement;
  let shown: HTMLElement | undefined;
  const put = (node?: HTMLElement) => {
    shown?.remove();
    shown = node;
    if (node) panel.append(node);
    set(opener, "aria-expanded", `${!!node}`);
  };
  const show = (node: HTMLElement) => {
    put(node);
    node.querySelector("button")?.focus();
  };
  const close = (back = true) => {
    if (!shown) return false;
    put();
    if (back) opener.focus();
    return true;
  };
  panel.addEventListener("pointerdown", (e) => {
    const target = e.target as Node;
    if (shown?.matches(".menu") && !shown.contains(target) && !opener.contains(target)) close(false);
  });
  return {
    show,
    close,
    toggle(button: HTMLElement, draw: () => HTMLElement) {
      opener = button;
      if (!close()) show(draw());
    },
    /** walk goes through the menu with the arrows. */
    walk(e: KeyboardEvent) {
      const all = [...shown!.querySelectorAll<HTMLElement>("[role=menuitem]")];
      const at = all.indexOf(e.target as HTMLElement);
      const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[e.key];
      if (to === undefined) return void (e.key === "Tab" && close(false));
      e.preventDefault();
      all.at(to % all.length)!.focus();
    },
  };
}

/** listOf shows the conversations: the present one by its newest message, then the earlier ones. */
function listOf(
  chats: Earlier[], newest: Message | undefined, t: typeof english, language: string, leave: (next: Earlier | null) => void,
  close: () => void,
): HTMLElement {
  const format = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
  const row = (text: string | undefined, at: string, onclick: () => void, now?: true) =>
    h("li", null,
      h("button", { class: "item chat", "aria-current": now, onclick }, h("span", { dir: "auto" }, text || t.noText),
        h("time", { datetime: at }, format.format(new Date(at)))));
  const rows = chats.map((one) => row(one.text, one.at, () => leave(one)));
  if (newest) rows.unshift(row(newest.content || newest.attachments[0]?.filename, newest.timestamp, () => close(), true));
  const fresh = h("button", { class: "main", onclick: () => leave(null) }, t.newChat);
  return cover(t.chats, t, close, h("ul", null, ...rows), fresh);
}

/** cover stands over the conversation, with the way back to it. */
function cover(title: string, t: typeof english, close: () => void, ...content: Node[]): HTMLElement {
  const head = h("div", { class: "flex chatshead" }, iconButton(t.toChat, "M19 12H5m6-6-6 6 6 6", close, "turn"), h("h3", null, title));
  return h("div", { class: "chats", role: "group", "aria-label": title }, head, ...content);
}

/** deviceOf shows the link with which another device goes on, and its code for a phone. */
function deviceOf({ url, code, size }: ConversationLink, t: typeof english, close: () => void): HTMLElement {
  const drawn = icon(code, "code");
  set(drawn, "viewBox", `-4 -4 ${size + 8} ${size + 8}`);
  const field = h("input", { readonly: true, value: url, "aria-label": t.device, onclick: () => field.select() });
  const copy = h("button", { class: "main", onclick: () => {
    field.select();
    navigator.clipboard?.writeText(url).then(() => (copy.textContent = "✓"), () => {});
  } }, t.copy);
  return cover(t.device, t, close, h("div", { class: "device" }, drawn, h("p", null, t.scan), field, copy));
}
