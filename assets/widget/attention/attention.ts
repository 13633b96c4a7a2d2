// attention.ts shows a visitor whose chat is closed that somebody has written:
// the number on the button, the page's title, a preview, a short tone. Loaded
// with the first message that waits.

import type { Core, Message, Shell, State } from "../types";
import { h, sheet } from "../ui/dom";
import { pictureOf } from "../chat/face";
import { locks } from "../net/locks";
import css from "./attention.css";
import { createPreview } from "./preview";
import { count } from "../text/plural";
import { attention as english, core as names } from "../lang/en.json";

export { createPreview };

/** Of several messages within this time one sounds. */
const SHORT = 2_000;

export interface Attention {
  update(state: State): void;
  /** ring is for a message that has just come. */
  ring(message: Message): void;
}

/** create shows nothing until update is called. */
export function create(core: Core, shell: Shell): Attention {
  const { button, root, storage, options } = shell;
  const badge = h("span", { class: "badge" });
  const preview = createPreview(root, () => shell.open());
  root.adoptedStyleSheets.push(sheet(css));
  button.append(badge);
  let rang = 0;
  const title = (n: number) => {
    const plain = document.title.replace(/^\(\d+\) /, "");
    const wanted = n ? `(${n}) ${plain}` : plain;
    if (wanted !== document.title) document.title = wanted;
  };
  /** show previews the newest message that waits, unless the visitor has put it away. */
  const show = ({ messages, unread, open, config }: State, t: typeof english) => {
    const m = unread && !open && messages.findLast((one) => one.sender !== "visitor" && !one.readAt && !one.deletedAt);
    if (!m || storage.get("dismissed") === m.id || !options.launcher) return preview.hide();
    const team = config.operatorName || t.team;
    const name = m.operatorName || team;
    preview.show({
      name,
      picture: pictureOf(m.operatorId, name, team, config.operatorAvatar, options.apiUrl),
      theme: options.theme || config.theme,
      text: m.content || m.attachments[0]?.filename || "",
      close: t.dismiss,
      onClose: () => storage.set("dismissed", m.id),
    });
  };

  core.client.life.addEventListener("abort", () => {
    title(0);
    preview.hide();
  });

  return {
    update(state) {
      const t = core.words("attention", english);
      const n = state.open ? 0 : state.unread;
      badge.textContent = n > 9 ? "9+" : String(n || "");
      if (n) button.ariaLabel = `${core.words("core", names).open}, ${count(n, t.wait, state.language)}`;
      title(n);
      show(state, t);
    },
    ring(message) {
      const seen = (core.store.state.open && !document.hidden) || Date.now() - rang < SHORT;
      if (seen || String(options.sound) === "false" || storage.get("muted") || !navigator.userActivation?.hasBeenActive) return;
      // Of all tabs that receive the message, the one that gets the lock plays the sound.
      rang = Date.now();
      const once = (lock: Lock | null) => lock && (tone(), new Promise((end) => setTimeout(end, SHORT)));
      if (locks) locks.request(`relay-tone:${message.id}`, { ifAvailable: true }, once).catch(() => {});
      else tone();
    },
  };
}

/** tone is two short notes; nothing has to be loaded for it. */
function tone(): void {
  const context = new AudioContext();
  const gain = context.createGain();
  const start = context.currentTime;
  gain.connect(context.destination);
  gain.gain.setValueAtTime(0.08, start);
  gain.gain.exponentialRampToValueAtTime(0.0001, start + 0.5);
  [660, 880].forEach((hertz, i) => {
    const note = context.createOscillator();
    note.frequency.value = hertz;
    note.connect(gain);
    note.start(start + i * 0.12);
    note.stop(start + 0.5);
    note.onended = () => i && context.close();
  });
  document.dispatchEvent(new CustomEvent("relay:tone"));
}
