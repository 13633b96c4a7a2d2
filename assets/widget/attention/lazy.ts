// lazy.ts loads what shows a visitor that somebody has written, once a message waits.

import type { Attention } from "./attention";
import type { Core, Message, Shell } from "../types";

/** Attend follows the state, and rings for a message that has just come. */
export type Attend = (message?: Message) => void;

export function lazyAttention(core: Core, shell: Shell): Attend {
  let made: Attention | undefined;
  return (message) => {
    const { state } = core.store;
    if (made && !message) return made.update(state);
    if (!message && (!state.unread || state.open)) return;
    shell.part<{ create(core: Core, shell: Shell): Attention }>(ATTENTION_FILE).then(
      ({ create }) => {
        if (core.client.life.aborted) return;
        made ||= create(core, shell);
        made.update(core.store.state);
        if (message) made.ring(message);
      },
      () => {}, // the number comes with the next change
    );
  };
}
