// The page of the knowledge base, in a file of its own that the console loads when the page is opened.

import { byId, h } from "../dom";
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
  const busy = await sources.load();
  timer = setTimeout(() => void follow(), busy ? soon : later);
}

function open(): void {
  void follow();
  if (shown()) void questions.load();
}

const guide = h("a", { href: "/docs/knowledge", target: "_blank", rel: "noopener" }, "How it works");
byId("knowledge-list").before(h("p", { class: "hint" }, "What the AI answers from: your own pages, files and texts. ", guide));
byId("knowledge-list").replaceChildren(sources.node, addSection(() => void follow()), questions.node, trySection());
addEventListener("hashchange", open);
open();
