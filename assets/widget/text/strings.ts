// strings.ts holds the panel's texts in the visitor's language. The texts of
// other parts are sections of the same files, which each part asks the core for.

import { panel } from "../lang/en.json";
import type { Core, State } from "../types";

export let t = panel;

/** The locale of dates and numbers: the language in the visitor's regional habit. */
export let locale = "en";

/** speak switches to the core's language. */
export function speak(core: Core): void {
  t = core.words("panel", panel);
  const code = core.store.state.language;
  locale = navigator.languages.find((l) => l.split("-")[0] === code) || code;
}

/** fill puts values into the braces of a text. */
export function fill(text: string, values: Record<string, unknown>): string {
  return text.replace(/{(\w+)}/g, (_, name: string) => String(values[name]));
}

/** Of these settings, what the team has not written itself speaks the visitor's language. */
const DEFAULTS = { operatorName: "operator", welcomeMessage: "hello", offlineMessage: "offline" } as const;

/** saying is such a setting, in the team's words for this language if it has some. */
export function saying({ config, language }: State, name: keyof typeof DEFAULTS): string {
  const key = DEFAULTS[name];
  const own = config.texts?.[language]?.[name];
  return own ?? (config[name] === panel[key] ? t[key] : config[name] || "");
}

/** named is who answers. */
export const named = (state: State) => saying(state, "operatorName") || t.operator;
