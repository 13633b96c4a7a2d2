// lazy.ts makes what the panel shows only sometimes, when it is first wanted.

import { CROSS, h, icon, iconButton, link, set, sheet, textButton } from "./dom";
import { t } from "../text/strings";
import type { Core, Shell } from "../types";

/** What parts borrow, in the order of lent.ts: names would be bytes in each part. */
const dom = [h, sheet, iconButton, set, icon, CROSS, textButton, link] as const;
export type Lent = typeof dom;

/** A part of the panel in a file of its own, which exports create. */
export interface Lazy<T> {
  made?: T;
  /** Uses the part as soon as it is there; the visitor learns when it cannot be loaded. */
  with(job: (part: T) => void): void;
  /** Loads the part, and tries until it is there: for what must be shown. */
  want(): void;
}

interface Part<T> {
  use(lent: Lent): void;
  create(core: Core, extra: unknown): T;
}

/** createLazy gives parts that are made of the core and one thing more; style puts their sheets into the page. */
export function createLazy(shell: Shell, core: Core, style: (sheet?: CSSStyleSheet) => void) {
  return <T extends object>(file: string, extra: unknown, show?: (made: T) => void): Lazy<T> => {
    let waiting = false;
    const load = async () => {
      const { use, create } = await shell.part<Part<T>>(file);
      core.client.life.throwIfAborted();
      use(dom);
      if (!lazy.made) {
        lazy.made = create(core, extra);
        style((lazy.made as { styles?: CSSStyleSheet }).styles);
        show?.(lazy.made);
      }
      return lazy.made;
    };
    const lazy: Lazy<T> = {
      with(job) {
        if (lazy.made) return job(lazy.made);
        load().then(job, () => core.notice(t.failed));
      },
      want() {
        if (waiting || lazy.made) return;
        waiting = true;
        load().catch(() =>
          setTimeout(() => {
            waiting = false;
            lazy.want();
          }, 3_000),
        );
      },
    };
    return lazy;
  };
}
