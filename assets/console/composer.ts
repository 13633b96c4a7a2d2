// Where the operator writes: text, files, and what is being edited or quoted.

import { byId, h, icon, iconButton, on, setText, syncChildren } from "./dom";
import { draftKey } from "./drafts";
import { fileSize, preview } from "./format";
import { senderName } from "./message";
import { attach, draft, dropUpload, editLast, leave, submit, uploadsOf } from "./outbox";
import { changed } from "./store";
import type { State, Upload, View } from "./store";

const tallest = 200;

const chips = new Map<number, HTMLLIElement>();
const input = byId<HTMLTextAreaElement>("composer");

function drawBanner({ quote, editing, saving }: State): void {
  const m = editing ?? quote;
  byId("banner").hidden = !m;
  if (!m) return;
  setText("banner-title", saving && saving === editing ? "Saving…" : editing ? "Edit message" : "Reply to " + senderName(m));
  setText("banner-text", preview(m));
  input.focus();
}

// drawChip keeps a file's item, so that focus stays on it while its progress moves.
function drawChip(u: Upload): HTMLLIElement {
  const chip = chips.get(u.key) ?? h("li", { class: "chip" }, icon("file"), h("span"), iconButton("cross", "Remove " + u.name, () => dropUpload(u)));
  chips.set(u.key, chip);
  const state = u.failed ? h("small", { class: "bad" }, u.failed)
    : u.id ? h("small", {}, fileSize(u.size))
    : h("progress", { value: u.share, "aria-label": "Uploading " + u.name });
  chip.children[1]?.replaceChildren(h("b", {}, u.name), state);
  return chip;
}

// grow sets the height through the CSSOM, which the content policy allows. A border, if it has one, counts too.
function grow(): void {
  input.style.height = "auto";
  input.style.height = Math.min(input.scrollHeight + input.offsetHeight - input.clientHeight, tallest) + "px";
}

export const composerView: View = (now, before) => {
  const text = now.drafts[draftKey(now)] ?? "";
  const uploads = uploadsOf(now.selected);
  if (input.value !== text) input.value = text;
  if (changed(now, before, "drafts", "selected", "editing")) grow();
  if (changed(now, before, "quote", "editing", "saving")) drawBanner(now);
  if (changed(now, before, "uploads", "selected")) syncChildren(byId("chips"), uploads.map(drawChip));
  byId("chips").hidden = !uploads.length;
  byId<HTMLButtonElement>("send").disabled = !text.trim() && !uploads.length;
};

// take attaches pasted or dropped files.
function take(e: Event, data: DataTransfer | null): void {
  const files = [...(data?.files ?? [])];
  if (!files.length) return;
  e.preventDefault();
  attach(files);
}

function key(e: KeyboardEvent): void {
  if (e.isComposing || e.keyCode === 229) return; // Safari ends composing before the Enter that ends it
  if (e.key === "Enter" && !e.shiftKey) {
    e.preventDefault();
    submit();
  } else if (e.key === "ArrowUp" && !input.value) {
    e.preventDefault();
    editLast();
  } else if (e.key === "Escape" && leave()) e.stopPropagation();
}

export function wireComposer(): void {
  const picker = byId<HTMLInputElement>("files");
  on("compose", "submit", (e) => {
    e.preventDefault();
    submit();
    input.focus();
  });
  on("composer", "input", () => draft(input.value));
  input.addEventListener("keydown", key);
  addEventListener("resize", grow);
  input.addEventListener("paste", (e) => take(e, e.clipboardData));
  byId("pane").addEventListener("drop", (e) => take(e, e.dataTransfer));
  on("pane", "dragover", (e) => e.preventDefault());
  on("banner-cancel", "click", leave);
  on("clip", "click", () => picker.click());
  on("files", "change", () => {
    attach([...(picker.files ?? [])]);
    picker.value = "";
  });
}
