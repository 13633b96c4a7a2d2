// Where the newest message of a conversation was written, as the sign in its row.

import { h, icon } from "../ui/dom";
import { platformName } from "../ui/format";
import type { Session } from "../types";
import { tr } from "../ui/texts";

type Place = [symbol: string, label: string];

const places: Record<string, Place> = {
  agent: ["agent", tr("Written by the visitor’s agent")],
  ai: ["spark", tr("Answered by the AI")],
  api: ["reply", tr("Answered through the API")],
  assistant: ["reply", tr("Answered through an assistant")],
  console: ["reply", tr("Answered in the console")],
  email: ["mail", tr("Answered by e-mail")],
  relay: ["reply", tr("Answered automatically")],
};

function placeOf({ lastMessage: m, metadata, visitorId }: Session): Place {
  if (m?.sender === "ai") return places["ai"]!;
  if (m?.sourceBridge) return places[m.sourceBridge] ?? ["chat",
    tr("Answered in {sourceBridge}", { sourceBridge: platformName(m.sourceBridge) })];
  if (m?.sender === "operator") return places["console"]!;
  if (visitorId.startsWith("email:")) return ["mail", tr("Written by e-mail")];
  if (metadata["url"]?.startsWith(location.origin + "/chat")) return ["link", tr("Written on the chat page")];
  return /mobile|tablet/.test(metadata["deviceType"] ?? "") ? ["phone", tr("Written on a phone")]
    : ["screen", tr("Written on the website")];
}

export function sourceMark(s: Session): HTMLElement {
  const [symbol, label] = placeOf(s);
  return h("span", { class: "row-source", role: "img", "aria-label": label, title: label }, icon(symbol));
}
