// hiding.ts stands behind the loader in the file that pages load, on a relay where a website
// has rules for its pages, or hides its widget on some or outside its business hours: they
// come with it, so that nothing is asked before a click.

import { numberOf } from "../../shared/number";
import { matches } from "../../shared/path";

/** What the widget does on the pages of a path; the first that fits counts. */
interface PageRule {
  page: string;
  do: "show" | "hide" | "delay" | "open";
  seconds?: number;
}

/** When one website shows, hides and opens its widget. */
interface Rule {
  rules?: PageRule[];
  /** Paths like /checkout or /cart/* where it is hidden. */
  pages?: string[];
  /** Its business hours of the next days, in milliseconds since 1970. */
  open?: [from: number, to: number][];
}

interface Page {
  /** By a number made of the public key: no website sees the keys of others. */
  relayHiding?: Record<string, Rule>;
  RelayChat?: { show(): void; hide(): void; open(focus: boolean): void };
  navigation?: EventTarget;
}

const page = window as Page;
const { navigation } = page;
/** How often the hours are looked at, and the address where the browser does not report its changes. */
const LOOK = navigation ? 15_000 : 1_000;

const key = (document.currentScript as HTMLScriptElement | null)?.dataset.apiKey || "";
const rule = page.relayHiding?.[numberOf(key)];
if (rule) follow(rule);

function follow({ rules = [], pages = [], open }: Rule): void {
  let hidden = false;
  let path: string;
  let since: number;
  let timer: ReturnType<typeof setTimeout>;
  const look = () => {
    const now = Date.now();
    if (path !== location.pathname) since = now;
    path = location.pathname;
    const found = rules.find((one) => matches(one.page, path));
    const left = since + (found?.seconds || 0) * 1000 - now;
    clearTimeout(timer);
    if (left > 0) timer = setTimeout(look, left);
    const closed = open && !open.some(([from, to]) => from <= now && now < to) && !knows();
    const does = found ? found.do : pages.some((pattern) => matches(pattern, path)) && "hide";
    const hides = closed || does === "hide" || (does === "delay" && left > 0 && !knows());
    if (hides !== hidden) {
      hidden = hides;
      if (hides) page.RelayChat?.hide();
      else page.RelayChat?.show();
    }
    if (does === "open" && left <= 0 && !hides && innerWidth > 480) openOnce();
  };
  look();
  setInterval(look, LOOK);
  (navigation || window).addEventListener(navigation ? "navigatesuccess" : "popstate", look);
}

/** openOnce opens the chat by itself, without taking the focus; what the visitor closes stays closed in this tab. */
function openOnce(): void {
  const name = `relay:${key}:came`;
  try {
    if (sessionStorage.getItem(name)) return;
    sessionStorage.setItem(name, "1");
  } catch {
    return; // it would come again on every page
  }
  page.RelayChat?.open(false);
}

/** knows reports whether the visitor has opened the chat before: no answer is hidden by the hours, nor what is yet to be sent. */
function knows(): boolean {
  try {
    return !!localStorage.getItem(`relay:${key}:session`);
  } catch {
    return false;
  }
}
