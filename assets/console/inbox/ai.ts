// Requests to the AI in a conversation: a draft, a summary, and whether it answers there. Loaded where there is an AI.

import { asks } from "./asks";
import { tell } from "./command";
import { byId, on, setText } from "../ui/dom";
import { setDraft } from "../state/drafts";
import { fetchSession } from "../net/load";
import { changed, current, set, state, subscribe } from "../state/store";
import type { State, View } from "../state/store";
import type { AI, Message, Session } from "../types";
import { tr } from "../ui/texts";

// run sends relay a command and shows its answer.
async function run(command: string): Promise<void> {
  const id = state.selected;
  const answer = await tell(id, command);
  if (answer !== undefined && id === state.selected) set({ answer });
}

// sendDraft sends the AI's draft to the visitor as the operator's own words.
export function sendDraft(): void {
  void run("!send").then(() => set({ answer: "" }));
}

// editDraft puts the draft into the composer.
export function editDraft(m: Message): void {
  setDraft(state.selected, m.content);
  byId("composer").focus();
}

function words({ mode, state: is }: AI, s: Session): string {
  if (is === "failing") return tr("The AI fails.");
  if (s.aiEnded) return tr("The AI is off in this conversation.");
  if (s.aiActive) return tr("The AI is answering here.");
  return mode === "draft" ? tr("The AI writes drafts here.") : tr("The AI answers here while nobody is there.");
}

let acts: Promise<unknown> | undefined;

// loadActs loads what shows such notes as cards. Without it they say what to write.
function loadActs({ messages }: State): void {
  if (messages.some(asks)) acts ??= import("./acts").catch(() => (acts = undefined));
}

const view: View = (now, before) => {
  const session = current(now);
  if (now.messages !== before.messages) loadActs(now);
  if (!changed(now, before, "ai") && session === current(before)) return;
  draw(now);
};

function draw(now: State): void {
  const session = current(now);
  const on = !!now.ai && now.ai.state !== "off" && !!session;
  byId("ai-bar").hidden = !on;
  if (!on) return;
  setText("ai-state", words(now.ai!, session!));
  setText("ai-verb", session!.aiEnded ? tr("Turn on") : tr("Turn off"));
}

on("ai-draft", "click", () => run("!draft"));
on("ai-summary", "click", () => run("!summary"));
on("ai-verb", "click", async () => {
  const id = state.selected;
  await run(current()?.aiEnded ? "!ai on" : "!ai off");
  void fetchSession(id);
});
subscribe(view);
draw(state);
loadActs(state);
