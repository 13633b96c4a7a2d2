// What the visitor of the open conversation is writing, where the website shows it: below the messages, until it is sent or no
// longer written.

import { byId, h } from "../ui/dom";
import { state, subscribe } from "../state/store";
import { tr } from "../ui/texts";

// A text may arrive just behind the message that it became.
const sentFor = 10_000;
const nearEnd = 80;

const shown = h("span", { dir: "auto" });
const box = h("div", { class: "typed", id: "typed", hidden: true }, h("b", {}, tr("Not sent yet")), h("div", {}, shown));

let from = "";

function wasSent(text: string): boolean {
  const last = state.sessions.get(from)?.lastMessage;
  return last?.sender === "visitor" && Date.now() - Date.parse(last.timestamp) < sentFor && last.content.includes(text);
}

// draw keeps the end of the conversation in sight.
function draw(text: string): void {
  const log = byId("log");
  const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < nearEnd;
  shown.textContent = text;
  box.hidden = !text;
  if (atEnd) log.scrollTop = log.scrollHeight;
}

const isOver = (): boolean => state.selected !== from || state.typing[from] !== "";

export function wireTyped(): void {
  byId("typing").after(box);
  subscribe(() => void (!box.hidden && isOver() && draw("")));
  document.addEventListener("relay-draft", (e) => {
    const { sessionId, text } = (e as CustomEvent<{ sessionId: string; text: string }>).detail;
    if (sessionId !== state.selected) return;
    from = sessionId;
    draw(isOver() || wasSent(text) ? "" : text);
  });
}
