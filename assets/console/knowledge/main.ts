// The page of the knowledge base, in a file of its own that the console loads when the page is opened.

import { byId, h } from "../ui/dom";
import { button } from "../settings/settings";
import { addSection } from "./add";
import { questionsSection } from "./questions";
import { sourcesSection } from "./sources";
import { several, siteName } from "../state/sites";
import { changed, state, subscribe, type State } from "../state/store";
import { trySection } from "./try";
import { tr } from "../ui/texts";

const sources = sourcesSection();
const questions = questionsSection(() => void sources.load());
const shown = (): boolean => location.hash === "#/knowledge";

// While something is being read, the list follows it closely.
const soon = 1_500;
const later = 20_000;
let timer = 0;

async function follow(): Promise<void> {
  clearTimeout(timer);
  if (!shown()) return;
  const busy = await load("sources", sources.load());
  timer = setTimeout(() => void follow(), busy ? soon : later);
}

const failing = new Set<string>();
const failed = h("p", { class: "alert", role: "alert", hidden: true });

// load awaits one of the lists, and says so while relay does not answer.
async function load<T>(name: string, list: Promise<T>): Promise<T | undefined> {
  try {
    const answer = await list;
    failing.delete(name);
    return answer;
  } catch (error) {
    if (!failing.size) {
      failed.replaceChildren(tr("The knowledge could not be loaded: {message}.", { message: (error as Error).message }) + " ",
        button(tr("Try again"), retry));
    }
    failing.add(name);
    return undefined;
  } finally {
    failed.hidden = !failing.size;
  }
}

async function open(): Promise<void> {
  await follow();
  if (shown()) await load("questions", questions.load());
}

// retry moves the focus on when the button goes.
async function retry(): Promise<void> {
  await open();
  if (failed.hidden) byId("knowledge-title").focus();
}

const level = h("p", { class: "hint level", hidden: true });

// drawLevel says whose sources are shown, and whose visitors a new one answers.
function drawLevel(now: State): void {
  const name = siteName(now.site, now);
  level.hidden = !several(now);
  level.textContent = name
    ? tr("What answers visitors of {name}, its own sources and those of all websites. What you add " +
      "answers visitors of {name} only.", { name })
    : tr("The sources of all websites. What you add answers the visitors of all; choose a website in the bar at the top to add to one.");
}

const guide = h("a", { href: "/docs/knowledge", target: "_blank", rel: "noopener" }, tr("How it works"));
byId("knowledge-list").before(h("p", { class: "hint" }, tr("The AI answers from your own pages, files and texts.") + " ", guide), level,
  failed);
drawLevel(state);
byId("knowledge-list").replaceChildren(sources.node, addSection(() => void follow()), questions.node, trySection());
addEventListener("hashchange", () => void open());
subscribe((now, before) => {
  if (changed(now, before, "site", "sites")) drawLevel(now);
  if (now.site !== before.site) void open();
});
void open();
