// The page of the knowledge base, in a file of its own that the console loads when the page is opened.

import { byId, h } from "../ui/dom";
import { button } from "../settings/settings";
import { addSection } from "./add";
import { questionsSection } from "./questions";
import { sourcesSection } from "./sources";
import { trySection } from "./try";

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
      failed.replaceChildren("The knowledge could not be loaded: " + (error as Error).message + ". ", button("Try again", retry));
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

const guide = h("a", { href: "/docs/knowledge", target: "_blank", rel: "noopener" }, "How it works");
byId("knowledge-list").before(h("p", { class: "hint" }, "The AI answers from your own pages, files and texts. ", guide), failed);
byId("knowledge-list").replaceChildren(sources.node, addSection(() => void follow()), questions.node, trySection());
addEventListener("hashchange", () => void open());
void open();
