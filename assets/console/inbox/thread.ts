// The middle of the console: the open session's header, or what to do when there is none.

import { avatar } from "../ui/avatar";
import { byId, on, setText } from "../ui/dom";
import { pagePath, visitorName } from "../ui/format";
import { loadThread } from "../net/load";
import { change } from "../net/receive";
import { current } from "../state/store";
import type { State, View } from "../state/store";
import type { Session } from "../types";
import { tr } from "../ui/texts";

// kind names the part of the thread to show.
function kind(s: State): string {
  if (s.selected) return s.threadPhase === "missing" || s.threadPhase === "failed" ? s.threadPhase : "pane";
  if (s.listPhase === "loading") return "";
  return s.sessions.size || s.query ? "pick" : "welcome";
}

function statusText(s: Session): string {
  if (s.blocked) return tr("Blocked: the visitor cannot write.");
  return s.status === "closed" ? tr("Closed. The next message reopens it.") : "";
}

function drawHeader(s: Session): void {
  byId("thread-avatar").replaceChildren(avatar(s));
  setText("thread-name", visitorName(s));
  setText("thread-page", pagePath(s.metadata["url"]));
  setText("thread-verb", s.status === "open" ? tr("Close") : tr("Reopen"));
  setText("status-line", statusText(s));
  byId("status-line").hidden = !statusText(s);
}

export const threadView: View = (now, before) => {
  const shown = kind(now);
  for (const part of byId("thread").children) (part as HTMLElement).hidden = (part as HTMLElement).dataset["kind"] !== shown;
  const session = current(now);
  if (session && session !== current(before)) drawHeader(session);
};

export function wireThread(): void {
  on("thread-retry", "click", loadThread);
  on("thread-verb", "click", () => change(current()?.status === "open" ? "close" : "reopen"));
}
