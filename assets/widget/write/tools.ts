// tools.ts is what stands around the field: files by button, paste and drop,
// emoji, voice, and the large view of pictures. Loaded when the chat has been
// opened; each tool then loads what it needs.

import { tools as english } from "../lang/en.json";
import type { Core, State } from "../types";
import type { Uploads } from "./uploads";
import type { Emoji } from "./emoji";
import { h, iconButton } from "../ui/dom";
import { LIMIT, type Composer } from "./composer";
import type { Lightbox } from "../chat/lightbox";
import type { Voice } from "./voice";
import type { createLazy } from "../ui/lazy";

export interface Tools {
  update(state: State): void;
  /** Makes a player of what holds the link to a sound. */
  play(holder: HTMLElement): void;
  /** Ends what a tool has begun; false if there was nothing. */
  cancel(): boolean;
}

/** What the part needs of the panel. */
export interface Bench {
  scroller: HTMLElement;
  composer: Composer;
  lazy: ReturnType<typeof createLazy>;
}

const CLIP = "m20 11-8.5 8.5a5 5 0 0 1-7-7L13 4a3.3 3.3 0 0 1 4.7 4.7l-8.4 8.4a1.7 1.7 0 0 1-2.4-2.4L14 7.6";
const SMILE = "M12 3a9 9 0 1 0 .01 0M8 14c1.5 3 6.5 3 8 0M9 9v.5M15 9v.5";
const MICROPHONE = "M12 4a3 3 0 0 1 3 3v4a3 3 0 0 1-6 0V7a3 3 0 0 1 3-3M5 11a7 7 0 0 0 14 0M12 18v3";

/** create puts the buttons beside the field. */
export function create(core: Core, { scroller, composer, lazy }: Bench): Tools {
  const t = core.words("tools", english);
  const { field, send } = composer;
  const uploads = lazy<Uploads>(UPLOADS_FILE, null, (made) => {
    composer.above(made.node);
    made.update(core.store.state);
  });
  const upload = (files: Iterable<File>) => {
    const chosen = [...files];
    uploads.with((u) => u.add(chosen));
  };
  const emoji = lazy<Emoji>(EMOJI_FILE, composer);
  const seen = lazy<object>(SEEN_FILE, composer);
  const voice = lazy<Voice>(VOICE_FILE, { composer, upload });
  const lightbox = lazy<Lightbox>(LIGHTBOX_FILE, scroller);
  const picker = h("input", { type: "file", multiple: true, hidden: true, onchange: () => {
    upload(picker.files || []);
    picker.value = "";
  } });
  const attach = iconButton(t.attach, CLIP, () => picker.click());
  const smile = iconButton(t.emoji, SMILE, () => emoji.with((e) => e.toggle()), "smile");
  const record = iconButton(t.record, MICROPHONE, () => voice.with((v) => v.record()));
  const rules = () => core.store.state.config.attachments || {};
  /** takes reports whether files go with what is written now. */
  const takes = () => !!rules().enabled && !composer.mode?.save;
  const records = () => {
    const empty = !field.value && !composer.mode && !core.store.state.uploads.length;
    return takes() && empty && takesSounds(rules().types) && !!navigator.mediaDevices && "MediaRecorder" in window;
  };
  const count = h("span", { class: "count", role: "status" });
  const refresh = () => {
    showLength(field, count);
    if (core.store.state.config.typingPreview) seen.want();
    picker.accept = (rules().types || []).join(",");
    attach.hidden = !takes();
    record.hidden = !records();
    send.hidden = !record.hidden;
  };
  takeFiles(scroller.closest(".panel")!, field, takes, upload);
  scroller.addEventListener("click", (e) => {
    const picture = (e.target as HTMLElement).closest<HTMLAnchorElement>(".picture");
    if (!picture || e.ctrlKey || e.metaKey || e.shiftKey) return;
    e.preventDefault();
    lightbox.with((l) => l.open(picture));
  });
  const hadFocus = send.matches(":focus");
  field.before(attach, picker, smile);
  send.before(record);
  composer.node.append(count);
  composer.onrefresh = refresh;
  refresh();
  if (hadFocus) field.focus();
  if (core.store.state.uploads.length) uploads.want();

  return {
    update: (state) => uploads.made?.update(state),
    play: (holder) => voice.with((v) => v.play(holder)),
    cancel: () => [emoji, voice].some((part) => part.made?.cancel()),
  };
}

const takesSounds = (types: string[] = []) => !types.length || types.some((type) => type.startsWith("audio/"));

/** showLength counts the characters of a text that comes near the limit. */
function showLength(field: HTMLTextAreaElement, count: HTMLElement): void {
  const length = field.value.length > LIMIT - 400 ? [...field.value.trim()].length : 0;
  count.textContent = length > LIMIT - 400 ? `${length} / ${LIMIT}` : "";
  count.classList.toggle("bad", length > LIMIT);
}

/** takeFiles takes what is pasted into the field or dropped onto the panel. */
function takeFiles(panel: HTMLElement, field: HTMLElement, takes: () => boolean, upload: (files: FileList) => void): void {
  const take = (files: FileList | undefined, e: Event) => {
    if (!files?.length || !takes()) return;
    e.preventDefault();
    upload(files);
  };
  const onDrag = (e: DragEvent) => {
    if (!takes() || !e.dataTransfer?.types.includes("Files")) return;
    e.preventDefault();
    panel.classList.toggle("drop", e.type !== "dragleave" && e.type !== "drop");
    if (e.type === "drop") take(e.dataTransfer.files, e);
  };
  for (const name of ["dragover", "dragleave", "drop"] as const) panel.addEventListener(name, onDrag);
  field.addEventListener("paste", (e) => take(e.clipboardData?.files, e));
}
