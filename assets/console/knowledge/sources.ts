// The sources of answers: how far each is read, and what went wrong.

import { call } from "../net/api";
import { ask } from "../ui/ask";
import { h, syncChildren } from "../ui/dom";
import { agoTime } from "../ui/format";
import { button, feedback, section } from "../settings/settings";
import { ofSite, several, siteName } from "../state/sites";
import { state } from "../state/store";
import { mixed, plural } from "../ui/sentences";
import { tr } from "../ui/texts";

export interface Source {
  id: string;
  kind: "text" | "file" | "page" | "site";
  title: string;
  // site is the website whose visitors it answers; without one it answers all.
  site?: string;
  url?: string;
  note?: string;
  createdAt: string;
  pages: number;
  waiting: number;
  failed: number;
  passages: number;
}

interface Page {
  url?: string;
  title: string;
  error?: string;
}

export interface Sources {
  node: HTMLElement;
  // load reads the list and reports whether something is being read. It rejects if relay does not answer.
  load(): Promise<boolean>;
}

const kinds: Record<Source["kind"], string> = { text: tr("Text"), file: tr("File"), page: tr("Page"), site: tr("Site") };

function stateOf(s: Source): [text: string, tone: string] {
  if (s.waiting) return [plural(s.pages, "Reading, {done} of {n} page", "Reading, {done} of {n} pages", { done: s.pages - s.waiting }), ""];
  if (s.failed && s.failed === s.pages) return [tr("Could not be read"), "bad"];
  if (s.failed) return [plural(s.failed, "{n} page failed", "{n} pages failed"), "warn"];
  return [tr("Ready"), "good"];
}

type Run = (work: Promise<unknown>, done: string) => Promise<void>;

// whose says which visitors a source answers, and changes it.
function whose(s: Source, run: Run): HTMLElement {
  const select = h("select", { class: "input", "aria-label": tr("Whose visitors “{title}” answers", { title: s.title }),
    onchange: () => void run(call("PATCH", "/knowledge/sources/" + s.id, { site: select.value || null }),
      tr("“{title}” answers {site} now.", { title: s.title, site: siteName(select.value) || tr("all websites") })) },
  h("option", { value: "" }, tr("All websites")), ...state.sites.map((site) => h("option", { value: site.id }, site.name)));
  select.value = s.site ?? "";
  return select;
}

export function sourcesSection(): Sources {
  const said = feedback();
  const list = h("ul", { class: "sources" });
  const none = h("p", { class: "hint", hidden: true },
    tr("The AI has nothing to answer from yet. Add your help pages, a file or a text below."));
  const rows = new Map<string, { of: string; node: HTMLLIElement }>();
  const node = section(tr("Sources"), none, list, ...said.nodes);

  const run: Run = async (work, done) => {
    try {
      await work;
      said.said(done);
    } catch (error) {
      said.refused(error);
    }
    await load().catch(() => {});
  };
  const remove = async (s: Source): Promise<void> => {
    if (!(await ask(tr("Remove “{title}”? The AI no longer answers from it.", { title: s.title }), tr("Remove")))) return;
    await run(call("DELETE", "/knowledge/sources/" + s.id), tr("Removed."));
    node.querySelector<HTMLElement>("h2")?.focus();
  };
  const row = (s: Source): HTMLLIElement => {
    const [text, tone] = stateOf(s);
    const pages = s.kind === "page" || s.kind === "site";
    return h("li", { "data-id": s.id },
      h("p", { class: "source-head" }, h("b", { dir: "auto" }, s.title), " ", h("span", { class: "tag" }, kinds[s.kind]), " ",
        h("span", { class: "tag " + tone }, text)),
      h("p", { class: "hint" }, s.url && s.url !== s.title ? h("span", { class: "address" }, s.url + " · ") : false,
        ...mixed(plural(s.passages, "{n} passage, added {time}", "{n} passages, added {time}"), { time: agoTime(s.createdAt) })),
      !!s.note && h("p", { class: "hint" }, s.note),
      !!s.failed && errors(s),
      h("div", { class: "buttons" },
        several() && whose(s, run),
        pages && button(tr("Refresh"), () =>
          run(call("POST", "/knowledge/sources/" + s.id + "/refresh"), tr("Its pages are fetched again.")),
          tr("Refresh {title}", { title: s.title })),
        button(tr("Remove"), () => remove(s), tr("Remove {title}", { title: s.title }))));
  };

  const load = async (): Promise<boolean> => {
    const answer = await call<{ sources: Source[] }>("GET", "/knowledge" + ofSite());
    none.hidden = !!answer.sources.length;
    const nodes = answer.sources.map((s) => {
      const known = rows.get(s.id);
      const of = JSON.stringify([s, state.sites]);
      if (known?.of === of) return known.node;
      const fresh = row(s);
      const focused = known?.node.contains(document.activeElement) && document.activeElement?.textContent;
      rows.set(s.id, { of, node: fresh });
      if (focused) setTimeout(() => [...fresh.querySelectorAll("button")].find((b) => b.textContent === focused)?.focus());
      return fresh;
    });
    syncChildren(list, nodes);
    return answer.sources.some((s) => s.waiting);
  };
  node.querySelector("h2")?.setAttribute("tabindex", "-1");
  return { node, load };
}

// errors lists the pages that could not be read, once it is unfolded.
function errors(s: Source): HTMLElement {
  const list = h("ul", { class: "findings" });
  const show = async (): Promise<void> => {
    if (list.children.length) return;
    const { pages } = await call<{ pages: Page[] }>("GET", "/knowledge/sources/" + s.id);
    list.replaceChildren(...pages.filter((p) => p.error).map((p) => h("li", {}, h("code", {}, p.url || p.title), " ", p.error)));
  };
  return h("details", { class: "raw", ontoggle: () => void show().catch(() => {}) }, h("summary", {}, tr("What failed")), list);
}
