// The state of the bridges and the AI.

import { call } from "./api";
import { set, state } from "../state/store";
import type { AI, Bridge } from "../types";

// loadBridges loads the state of the bridges and the AI. If that fails, the last one is kept.
export async function loadBridges(): Promise<void> {
  const answer = await call<{ bridges: Bridge[]; ai?: AI }>("GET", "/bridges").catch(() => undefined);
  if (answer && JSON.stringify(answer.ai ?? null) !== JSON.stringify(state.ai)) set({ ai: answer.ai ?? null });
  if (answer && JSON.stringify(answer.bridges) !== JSON.stringify(state.bridges)) set({ bridges: answer.bridges });
}
