// The health of the bridges and the AI: the navigation marks pages with a problem. It loads behind the inbox.

import { platformName } from "../ui/format";
import { alarm } from "./nav";
import { changed, state, subscribe } from "../state/store";
import type { State } from "../state/store";
import type { Bridge } from "../types";
import { tr } from "../ui/texts";

// wrong is what fails. A channel that is not connected yet waits for its next step: nothing fails there.
const wrong = (b: Bridge): string | undefined => (b.state === "off" ? undefined : b.lastError);

function trouble(b: Bridge): string {
  return platformName(b.name) + ": " +
    (wrong(b) ?? tr("{count} not delivered: {reason}", { count: b.failed?.count, reason: b.failed?.reason }));
}

// mark marks the pages where a problem can be fixed.
function mark({ ai, bridges, gaveUp }: State): void {
  alarm("channels", bridges.filter((b) => wrong(b) ?? b.failed).map(trouble).join("\n"));
  alarm("webhook", gaveUp ? tr("An event was not delivered") : "");
  alarm("ai", ai?.state === "failing" ? tr("The AI fails: {reason}", { reason: [ai.lastError, ai.fix].filter(Boolean).join(". ") }) : "");
}

subscribe((now, before) => changed(now, before, "ai", "bridges", "gaveUp") && mark(now));
mark(state);
