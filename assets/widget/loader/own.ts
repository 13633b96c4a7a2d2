// own.ts stands before the loader in the file that pages load, on a relay where a website has
// a launcher of its own: it is there from the first page on, and nothing is asked before a click.

import { dress, type Own } from "./dress";
import { numberOf } from "../../shared/number";

const script = document.currentScript as HTMLScriptElement | null;
const data = script?.dataset || {};
const own = (window as { relayOwn?: Record<string, Own> }).relayOwn?.[numberOf(data.apiKey || "")];
if (own?.hidden) data.launcher ??= "false"; // the snippet has the last word
else if (own) {
  const base = data.apiUrl || script!.src;
  const look = () => {
    const element = document.querySelector("html > relay-chat");
    if (element !== dressed) element && dress(element, own, base);
    dressed = element;
  };
  let dressed: Element | null = null;
  // The loader, which follows, puts it there, and again after a log-out.
  new MutationObserver(look).observe(document.documentElement, { childList: true });
}
