// options.ts reads the snippet: the data- attributes of the script element,
// and the same names given to RelayChat.init.

import type { Options } from "./types";

/** What a page may pass to RelayChat.init; every key is optional. */
export type Given = Partial<Options>;

export const script = (document.currentScript ||
  document.querySelector("script[data-api-key]")) as HTMLScriptElement | null;

const attributes = script?.dataset || {};

/** home is the folder of the script: there lie core and panel. */
export const home = new URL(".", script?.src || location.href).href.slice(0, -1);

/** auto tells whether the widget starts by itself. */
export const auto = !!attributes.apiKey && attributes.auto !== "false";

/** readOptions joins both; given options win over attributes. */
export function readOptions(given?: Given): Options {
  const { apiKey = "", apiUrl = home, position, theme, locale, zIndex, launcher, sound, proactive } = attributes;
  const all = { apiKey, apiUrl, position, theme, locale, zIndex, launcher: launcher !== "false", sound: sound !== "false", proactive: proactive != null, ...given };
  all.apiUrl = all.apiUrl.replace(/\/+$/, "");
  return all;
}
