// parts.ts loads core and panel when they are wanted, each once. They come
// from beside the script, under names that change with their content.

import { home } from "./options";
import type { Core, Panel, Shell } from "./types";

interface Module {
  start(shell: Shell): Core;
  mount(shell: Shell, core: Core): Panel;
}

export interface Parts {
  core(): Promise<Core>;
  panel(): Promise<Panel>;
  /** The core if it runs already. */
  running?: Core;
  /** Stops both, also one that is still on its way. */
  drop(reason?: "manual"): void;
}

/** createParts loads nothing by itself. */
export function createParts(shell: Shell): Parts {
  let tries = "";
  let dropped = false;
  let panel: Panel | undefined;

  /** once makes a loader that can be called again after a failure. */
  const once = <T>(file: string, start: (module: Module) => T | Promise<T>) => {
    let loading: Promise<T> | null = null;
    const load = () =>
      import(`${home}/widget/${file}${tries}`)
        .then((module: Module) => {
          if (dropped) throw 0; // no error to tell of
          return start(module);
        })
        .catch((error) => {
          loading = null;
          // Some browsers remember a failed import, so a retry is renamed.
          tries += "?";
          throw error;
        });
    return () => (loading ||= load());
  };
  const core = once(CORE_FILE, (m) => (parts.running = m.start(shell)));
  const parts: Parts = {
    core,
    panel: once(PANEL_FILE, async (m) => {
      const running = await core();
      return (panel = m.mount(shell, running));
    }),
    drop(reason) {
      dropped = true;
      parts.running?.stop(reason);
      panel?.destroy();
    },
  };
  return parts;
}
