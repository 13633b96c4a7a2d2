// proactive.ts shows a message that the team has defined, on the pages and after
// the time that it names. The browser decides by one list; nothing is reported.

import { matches } from "../../shared/path";
import { lookOf } from "../ui/look";
import type { Config, Core, SavedSession, Shell } from "../types";
import type { createPreview } from "./preview";
import { attention as english } from "../lang/en.json";
import { named, spoken } from "../text/spoken";

interface Rule {
  id: string;
  text: string;
  texts?: Record<string, string>;
  pages?: string[] | null;
  seconds?: number;
  exitIntent?: boolean;
  onlyOnline?: boolean;
}

interface Answer {
  online: boolean;
  messages: Rule[];
  config: Config;
  at: number;
}

/** The list is asked for again after this long. */
const KEPT = 5 * 60_000;

/** start watches the page until something was shown. */
export async function start(shell: Shell, core: () => Promise<Core>): Promise<void> {
  const { storage, options, root } = shell;
  // Whoever put one away, or already talks, is left alone.
  const quiet = () => storage.get("unasked") || storage.get<SavedSession>("session")?.live;
  if (quiet()) return;
  const answer = await ask(shell);
  shell.setLook(lookOf(answer.config));
  const seen = () => storage.get<string[]>("shown") || [];
  let page = location.pathname;
  let since = Date.now();
  let leaving = false;

  const fits = (rule: Rule) =>
    !seen().includes(rule.id) &&
    (!rule.onlyOnline || answer.online) &&
    (!rule.pages?.length || rule.pages.some((pattern) => matches(pattern, page))) &&
    (Date.now() - since) / 1000 >= (rule.seconds || 0) &&
    (!rule.exitIntent || leaving);
  const end = () => {
    clearInterval(timer);
    document.removeEventListener("mouseout", onOut);
  };
  const show = async (rule: Rule) => {
    end();
    const make = await shell.part<{ createPreview: typeof createPreview }>(ATTENTION_FILE);
    const preview = make.createPreview(root, () => shell.open());
    storage.set("shown", [...seen(), rule.id]);
    const { operatorName = "", operatorAvatar, theme, language: setting, texts: own } = answer.config;
    const language = spoken(options.locale, setting);
    const text = rule.texts?.[language] || rule.text;
    const t = { ...named(english, await texts(shell, language)), ...own?.[language] };
    const picture = operatorAvatar && new URL(operatorAvatar, options.apiUrl).href;
    preview.show({ name: operatorName, picture, theme: options.theme || theme, text, close: t.dismiss,
      onClose: () => storage.set("unasked", true) });
    const opened = () => {
      preview.hide();
      document.removeEventListener("relay:open", opened);
      core().then((core) => greet(core, text), () => {});
    };
    document.addEventListener("relay:open", opened);
  };
  const look = () => {
    if (location.pathname !== page) {
      page = location.pathname;
      since = Date.now();
      leaving = false;
    }
    if (!root.host.isConnected || quiet()) return end();
    const due = !document.hidden && !root.querySelector(".panel:not([hidden])") && answer.messages.find(fits);
    if (due) show(due).catch(() => {}); // the next page shows it
  };
  const onOut = (e: MouseEvent) => {
    if (e.relatedTarget || e.clientY > 0) return;
    leaving = true;
    look();
  };
  const timer = setInterval(look, 1_000);
  document.addEventListener("mouseout", onOut);
  look();
}

/** greet makes a text the first thing that was said in the chat. */
function greet({ store }: Core, text: string): void {
  store.set({ greeting: { text, at: new Date().toISOString(), after: store.state.messages.at(-1)?.id || "" } });
}

/** ask keeps the list for the pages that follow. */
async function ask({ tab, options }: Shell): Promise<Answer> {
  const kept = tab.get<Answer>("proactive");
  if (kept && Date.now() - kept.at < KEPT) return kept;
  const url = `${options.apiUrl}/api/widget/proactive`;
  const got = await fetch(url, { credentials: "omit", headers: { Authorization: `Bearer ${options.apiKey}` } });
  if (!got.ok) throw new Error(String(got.status));
  const fresh = { ...(await got.json()), at: Date.now() } as Answer;
  tab.set("proactive", fresh);
  return fresh;
}

/** texts are those of another language than English, if they can be had. */
async function texts({ part }: Shell, language: string): Promise<unknown[] | undefined> {
  if (language === "en") return undefined;
  return part<{ attention: unknown[] }>(`lang-${language}-${LANGUAGES_HASH}.js`).then((all) => all.attention, () => undefined);
}
