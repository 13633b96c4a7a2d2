// storage.ts keeps small JSON values in the browser's storage, and in memory
// where the browser forbids or fills that.

import { json } from "./json";
import type { Storage } from "../types";

type Area = "localStorage" | "sessionStorage";

/** createStorage opens the values of one public key. */
export function createStorage(apiKey: string, area: Area = "localStorage"): Storage {
  const prefix = `relay:${apiKey}:`;
  const memory: Record<string, string> = {};
  return {
    get<T>(key: string): T | null {
      const raw = attempt(() => window[area].getItem(prefix + key)) ?? memory[key];
      return attempt(() => JSON.parse(raw || "null") as T) ?? null;
    },
    set(key, value) {
      const raw = json(value);
      delete memory[key];
      attempt(() => window[area].removeItem(prefix + key));
      if (value == null) return;
      attempt(() => [window[area].setItem(prefix + key, raw)]) || (memory[key] = raw);
    },
    keys(start) {
      const held = Object.keys(attempt(() => window[area]) || {})
        .filter((key) => key.startsWith(prefix))
        .map((key) => key.slice(prefix.length));
      return held.concat(Object.keys(memory)).filter((key) => key.startsWith(start));
    },
  };
}

/** attempt gives undefined where storage is blocked or full. */
function attempt<T>(job: () => T): T | undefined {
  try {
    return job();
  } catch {
    return undefined;
  }
}
