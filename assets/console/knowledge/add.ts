// Adding pages, a file or a text.

import { ApiError, call } from "../net/api";
import { h } from "../ui/dom";
import { missing, type Fields } from "../ui/fields";
import { feedback, labelled, section } from "../settings/settings";
import { ofSite } from "../state/sites";
import { tr } from "../ui/texts";

async function sendFile(file: File): Promise<void> {
  const form = new FormData();
  form.append("file", file);
  const response = await fetch("/api/admin/knowledge/files" + ofSite(), { method: "POST", body: form }).catch(() => {
    throw new ApiError(0);
  });
  if (!response.ok) throw new ApiError(response.status, await response.json().catch(() => null));
}

const submit = (text: string): HTMLElement => h("button", { type: "submit", class: "button main" }, text);

// form adds what work sends, and says beside its fields and its button what came of it.
function form(what: string, fields: Fields, empty: () => boolean, work: () => Promise<unknown>, done: string,
  ...children: HTMLElement[]): HTMLFormElement {
  const said = feedback();
  const node: HTMLFormElement = h("form", {
    novalidate: true,
    async onsubmit(e: Event) {
      e.preventDefault();
      said.said("");
      if (empty()) return;
      try {
        await work();
        node.reset();
        said.said(done);
      } catch (error) {
        said.refused(error, fields);
      }
    },
  }, ...children, h("div", { class: "buttons" }, submit(what), said.nodes[0]!), said.nodes[1]!);
  return node;
}

export function addSection(added: () => void): HTMLElement {
  const url = h("input", { class: "input", type: "url", autocomplete: "off", spellcheck: "false",
    placeholder: "https://example.com/help/" });
  const follow = h("input", { type: "checkbox", checked: true });
  const file = h("input", { class: "input", type: "file", accept: ".md,.markdown,.txt,.html,.htm,.pdf" });
  const title = h("input", { class: "input", maxlength: 200, autocomplete: "off", placeholder: tr("Opening hours") });
  const text = h("textarea", { class: "input", rows: 4, maxlength: 200000 });
  const send = async (work: Promise<unknown>): Promise<void> => {
    await work;
    added();
  };

  return section(tr("Add"),
    form(tr("Add pages"), { url }, () => missing([[url, tr("Enter the address of a page, like https://example.com/help/.")]]),
      () => send(call("POST", "/knowledge" + ofSite(), { url: url.value.trim(), follow: follow.checked })),
      tr("Its pages are being read, one per second."),
      labelled(tr("Web pages"), url,
        tr("The address of a page or of a sitemap. relay follows robots.txt and reads the pages again every day.")),
      h("label", { class: "check" }, follow, " " + tr("Also the pages that it links to in the same folder"))),
    h("hr", {}),
    form(tr("Add file"), { file }, () => missing([[file, tr("Choose a file.")]]), () => send(sendFile(file.files![0]!)),
      tr("The file is being read."),
      labelled(tr("File"), file, tr("PDF, Markdown, text or HTML, up to 10 MB."))),
    h("hr", {}),
    form(tr("Add text"), { title, text }, () => missing([[title, tr("Give the text a title.")], [text, tr("Write or paste the text.")]]),
      () => send(call("POST", "/knowledge" + ofSite(), { title: title.value, text: text.value })), tr("Added."),
      labelled(tr("Title"), title), labelled(tr("Text"), text)));
}
