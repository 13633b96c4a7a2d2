// Adding pages, a file or a text.

import { ApiError, call } from "../api";
import { h } from "../dom";
import { feedback, labelled, section } from "../settings/settings";

async function sendFile(file: File): Promise<void> {
  const form = new FormData();
  form.append("file", file);
  const response = await fetch("/api/admin/knowledge/files", { method: "POST", body: form }).catch(() => {
    throw new ApiError(0);
  });
  if (!response.ok) throw new ApiError(response.status, await response.json().catch(() => null));
}

const submit = (text: string): HTMLElement => h("button", { type: "submit", class: "button main" }, text);

export function addSection(added: () => void): HTMLElement {
  const said = feedback();
  const url = h("input", { class: "input", type: "url", autocomplete: "off", spellcheck: "false", placeholder: "https://example.com/help/" });
  const follow = h("input", { type: "checkbox", checked: true });
  const file = h("input", { class: "input", type: "file", accept: ".md,.markdown,.txt,.html,.htm,.pdf" });
  const title = h("input", { class: "input", maxlength: 200, autocomplete: "off", placeholder: "Opening hours" });
  const text = h("textarea", { class: "input", rows: 4, maxlength: 200000 });

  // form adds what work sends, and clears the fields.
  const form = (what: string, work: () => Promise<unknown> | HTMLElement, done: string, ...fields: HTMLElement[]): HTMLFormElement => {
    const node: HTMLFormElement = h("form", {
      novalidate: true,
      async onsubmit(e: Event) {
        e.preventDefault();
        const sent = work();
        if (sent instanceof HTMLElement) return sent.focus();
        try {
          await sent;
          node.reset();
          said.said(done);
          added();
        } catch (error) {
          said.problem((error as Error).message);
        }
      },
    }, ...fields, h("div", { class: "buttons" }, submit(what)));
    return node;
  };

  return section("Add",
    form("Add pages", () => (url.value.trim() ? call("POST", "/knowledge", { url: url.value.trim(), follow: follow.checked }) : url), "Its pages are being read, one a second.",
      labelled("Web pages", url, "The address of a page or of a sitemap. relay follows robots.txt and reads the pages again every day."),
      h("label", { class: "check" }, follow, " Also the pages that it leads to, in the same folder")),
    h("hr", {}),
    form("Add file", () => (file.files?.[0] ? sendFile(file.files[0]) : file), "The file is being read.",
      labelled("File", file, "PDF, Markdown, text or HTML, up to 10 MB.")),
    h("hr", {}),
    form("Add text", () => (!title.value.trim() ? title : !text.value.trim() ? text : call("POST", "/knowledge", { title: title.value, text: text.value })), "Added.",
      labelled("Title", title), labelled("Text", text)),
    ...said.nodes);
}
