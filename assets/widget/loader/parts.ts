// parts.ts loads the files that are wanted only sometimes, each once: core,
// panel, and what those ask for. They lie beside the script, under names that
// change with their content.

import { home } from "./options";
import type { Core, Panel, Shell } from "../types";

export interface Parts {
  core(): Promise<Core>;
  panel(): Promise<Panel>;
  /** The core if it runs already. */
  running?: Core;
  /** Stops both, also one that is still on its way. */
  drop(reason?: "manual"): void;
}

interface Module {
  start(shell: Shell): Core;
  mount(shell: Shell, core: Core): Promise<Panel>;
}

/** once makes a job that can be asked again after a failure. */
function once<T>(job: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () =>
    (running ||= job().catch((error) => {
      running = null;
      throw error;
    }));
}

/** createLoad imports files by name, each once. */
export function createLoad(): Shell["part"] {
  const loads: Record<string, () => Promise<any>> = {};
  let tries = "";
  return (file) =>
    (loads[file] ||= once(() =>
      import(`${home}/widget/${file}${tries}`).catch((error) => {
        // Some browsers remember a failed import, so a retry is renamed.
        tries += "?";
        throw error;
      }),
    ))();
}

/** createParts loads nothing by itself. */
export function createParts(shell: Shell): Parts {
  let dropped = false;
  let shown: Panel | undefined;
  const load = async (file: string) => {
    const module = await shell.part<Module>(file);
    if (dropped) throw 0; // no error to report
    return module;
  };
  const core = once(async () => (parts.running = (await load(CORE_FILE)).start(shell)));
  const parts: Parts = {
    core,
    panel: once(async () => {
      const running = core(); // both come at the same time
      running.catch(() => {});
      return (shown = await (await load(PANEL_FILE)).mount(shell, await running));
    }),
    drop(reason) {
      dropped = true;
      parts.running?.stop(reason);
      shown?.destroy();
    },
  };
  return parts;
}
