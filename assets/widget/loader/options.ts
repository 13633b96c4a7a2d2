// options.ts reads the snippet: the data- attributes of the script element,
// and the same names given to RelayChat.init.

import type { Options } from "../types";

/** What a page may pass to RelayChat.init; every key is optional. */
export type Given = Partial<Options>;

export const script = (document.currentScript ||
  document.querySelector("script[data-api-key]")) as HTMLScriptElement | null;

const attributes = script?.dataset || {};

/** home is the folder of the script: there lie core and panel. */
export let home = folder(script?.src || location.href);

function folder(url: string): string {
  return new URL(".", url).href.slice(0, -1);
}

/** from is for a module, which no script element names. */
export function from(url: string): void {
  home = folder(url);
}

/** auto reports whether the widget starts by itself. */
export const auto = !!attributes.apiKey && attributes.auto !== "false";

/** readOptions joins both; given options win over attributes. */
export function readOptions(given?: Given): Options {
  const all: Options = { apiKey: "", apiUrl: home, ...attributes, launcher: attributes.launcher !== "false", ...given };
  all.apiUrl = all.apiUrl.replace(/\/+$/, "");
  return all;
}
