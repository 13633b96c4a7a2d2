// Where the operator writes: text, files, and what is being edited or quoted.

import { byId, on, setText } from "../ui/dom";
import { draftKey, isNoting } from "../state/drafts";
import { preview } from "../ui/format";
import { senderName } from "./message";
import { draft, editLast, leave, note, submit, uploadsOf } from "./write";
import { attempt, changed, set, state } from "../state/store";
import type { State, View } from "../state/store";
import { tr } from "../ui/texts";

const tallest = 200;

const input = byId<HTMLTextAreaElement>("composer");
let answers: typeof import("./answers") | undefined;

function drawBanner({ quote, editing, saving }: State): void {
  const m = editing ?? quote;
  byId("banner").hidden = !m;
  if (!m) return;
  setText("banner-title", saving && saving === editing ? tr("Saving…") : editing ? tr("Edit message")
    : tr("Reply to {name}", { name: senderName(m) }));
  setText("banner-text", preview(m));
  input.focus();
}

// drawAnswer shows relay's answer to a command where it was written.
function drawAnswer({ answer }: State): void {
  byId("answer").hidden = !answer;
  setText("answer-text", answer);
}

// grow sets the height through the CSSOM, which the content policy allows. A border, if it has one, counts too.
function grow(): void {
  input.style.height = "auto";
  input.style.height = Math.min(input.scrollHeight + input.offsetHeight - input.clientHeight, tallest) + "px";
}

export const composerView: View = (now, before) => {
  const text = now.drafts[draftKey(now)] ?? "";
  if (input.value !== text) input.value = text;
  if (changed(now, before, "drafts", "selected", "editing")) grow();
  if (changed(now, before, "quote", "editing", "saving")) drawBanner(now);
  if (changed(now, before, "answer")) drawAnswer(now);
  const noting = now.editing ? !!now.editing.internal : isNoting(now) || text.trimStart().startsWith("//");
  byId("compose").classList.toggle("noting", noting);
  byId("note").setAttribute("aria-pressed", String(isNoting(now)));
  input.placeholder = noting ? tr("Write an internal note…") : tr("Write an answer…");
  input.ariaLabel = noting ? tr("Internal note") : tr("Answer");
  byId<HTMLButtonElement>("send").disabled = !text.trim() && !uploadsOf(now.selected).length;
};

// take attaches pasted or dropped files.
function take(e: Event, data: DataTransfer | null): void {
  const files = [...(data?.files ?? [])];
  if (!files.length) return;
  e.preventDefault();
  void attach(files);
}

// attach loads the part that uploads files with the first of them.
async function attach(list: File[]): Promise<void> {
  const { selected } = state;
  (await attempt(import("./files"), tr("Nothing was attached")))?.attach(list, selected);
}

function key(e: KeyboardEvent): void {
  if (e.isComposing || e.keyCode === 229) return; // Safari ends composing before the Enter that ends it
  if (answers?.menuKey(e)) return;
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
  on("composer", "input", () => {
    void answers?.loadAnswers(input.value);
    set({ chosen: -1 });
    draft(input.value);
  });
  input.addEventListener("keydown", key);
  input.addEventListener("focus", async () => (answers ??= await import("./answers").catch(() => undefined)));
  addEventListener("resize", grow);
  input.addEventListener("paste", (e) => take(e, e.clipboardData));
  byId("pane").addEventListener("drop", (e) => take(e, e.dataTransfer));
  on("pane", "dragover", (e) => e.preventDefault());
  on("banner-cancel", "click", leave);
  on("answer-close", "click", () => {
    set({ answer: "" });
    input.focus();
  });
  on("note", "click", () => {
    note();
    input.focus();
  });
  on("emoji", "click", async () => (await attempt(import("./emoji"), tr("Not loaded")))?.toggle());
  on("saved", "click", async () => (await attempt(import("./answers"), tr("Not loaded")))?.pick());
  on("clip", "click", () => picker.click());
  on("files", "change", () => {
    void attach([...(picker.files ?? [])]);
    picker.value = "";
  });
}
