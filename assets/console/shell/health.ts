// The health of the bridges and the AI: the navigation marks pages with a problem.

import { call } from "../net/api";
import { platformName } from "../ui/format";
import { alarm } from "./nav";
import { changed, set, state } from "../state/store";
import type { View } from "../state/store";
import type { AI, Bridge } from "../types";
import { tr } from "../ui/texts";

// loadBridges loads the state of the bridges and the AI. If that fails, the last one is kept.
export async function loadBridges(): Promise<void> {
  const answer = await call<{ bridges: Bridge[]; ai?: AI }>("GET", "/bridges").catch(() => undefined);
  if (answer && JSON.stringify(answer.ai ?? null) !== JSON.stringify(state.ai)) set({ ai: answer.ai ?? null });
  if (answer && JSON.stringify(answer.bridges) !== JSON.stringify(state.bridges)) set({ bridges: answer.bridges });
}

// wrong is what fails. A channel that is not connected yet waits for its next step: nothing fails there.
const wrong = (b: Bridge): string | undefined => (b.state === "off" ? undefined : b.lastError);

function trouble(b: Bridge): string {
  return platformName(b.name) + ": " +
    (wrong(b) ?? tr("{count} not delivered: {reason}", { count: b.failed?.count, reason: b.failed?.reason }));
}

// healthView marks the pages where a problem can be fixed.
export const healthView: View = (now, before) => {
  if (changed(now, before, "bridges")) alarm("channels", now.bridges.filter((b) => wrong(b) ?? b.failed).map(trouble).join("\n"));
  if (changed(now, before, "gaveUp")) alarm("webhook", now.gaveUp ? tr("An event was not delivered") : "");
  if (!changed(now, before, "ai")) return;
  alarm("ai", now.ai?.state === "failing"
    ? tr("The AI fails: {reason}", { reason: [now.ai.lastError, now.ai.fix].filter(Boolean).join(". ") }) : "");
};
