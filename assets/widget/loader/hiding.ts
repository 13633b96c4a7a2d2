// hiding.ts stands behind the loader in the file that pages load, on a relay where a website
// hides its widget on some pages or outside its business hours: its rules come with it, so
// that nothing is asked before a click.

import { matches } from "../../shared/path";

/** When one website hides its widget. */
interface Rule {
  /** Paths like /checkout or /cart/*. */
  pages?: string[];
  /** Its business hours of the next days, in milliseconds since 1970. */
  open?: [from: number, to: number][];
}

interface Page {
  /** By a number made of the public key: no website sees the keys of others. */
  relayHiding?: Record<string, Rule>;
  RelayChat?: { show(): void; hide(): void };
  navigation?: EventTarget;
}

/** How often the hours are looked at. */
const LOOK = 15_000;

const page = window as Page;
const key = (document.currentScript as HTMLScriptElement | null)?.dataset.apiKey || "";
const rule = page.relayHiding?.[numberOf(key)];
if (rule) follow(rule);

function follow({ pages = [], open }: Rule): void {
  let hidden = false;
  const look = () => {
    const now = Date.now();
    const closed = open && !open.some(([from, to]) => from <= now && now < to) && !knows();
    const hides = closed || pages.some((pattern) => matches(pattern, location.pathname));
    if (hides === hidden) return;
    hidden = !!hides;
    if (hides) page.RelayChat?.hide();
    else page.RelayChat?.show();
  };
  look();
  setInterval(look, LOOK);
  const { navigation } = page;
  (navigation || window).addEventListener(navigation ? "navigatesuccess" : "popstate", look);
}

/** knows reports whether the visitor has opened the chat before: no answer is hidden by the hours, nor what is yet to be sent. */
function knows(): boolean {
  try {
    return !!localStorage.getItem(`relay:${key}:session`);
  } catch {
    return false;
  }
}

/** numberOf is FNV-1a of a text, in 32 bits. */
function numberOf(text: string): number {
  return [...text].reduce((hash, sign) => Math.imul(hash ^ sign.charCodeAt(0), 16777619) >>> 0, 2166136261);
}
