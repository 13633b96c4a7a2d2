// links.ts makes links that are safe.

import { h } from "./dom";

/** link makes an anchor that sends the other site no referrer and gives it no handle. */
export function link(text: string, href: string, extra?: Record<string, unknown>): HTMLElement {
  const rel = "noopener noreferrer nofollow ugc";
  return h("a", { href, target: "_blank", rel, ...extra }, text);
}
