// Adding a website from the file that an export wrote, here or on another relay.

import { ApiError } from "../../net/api";
import type { Site } from "../../types";
import { h } from "../../ui/dom";
import { missing } from "../../ui/fields";
import { feedback, labelled } from "../settings";
import { plural } from "../../ui/sentences";
import { tr } from "../../ui/texts";

interface Imported {
  site: Site;
  conversations: number;
  known: number;
  notes: string[];
}

// send sends the file; fetch would not say how far that is.
function send(file: File, name: string, progress: (share: number) => void): Promise<Imported> {
  const request = new XMLHttpRequest();
  request.responseType = "json";
  request.open("POST", "/api/admin/site-imports" + (name && "?name=" + encodeURIComponent(name)));
  request.setRequestHeader("Content-Type", "application/zip");
  request.upload.onprogress = (e) => progress(e.loaded / e.total);
  return new Promise((resolve, reject) => {
    request.onloadend = () =>
      (request.status === 200 ? resolve(request.response as Imported) : reject(new ApiError(request.status, request.response)));
    request.send(file);
  });
}

export function importForm(imported: (site: Site) => Promise<void>): HTMLElement {
  const file = h("input", { class: "input", type: "file", accept: ".zip" });
  const name = h("input", { class: "input", maxlength: 60, autocomplete: "off" });
  const said = feedback();
  const notes = h("ul", { class: "hint" });
  const submit = h("button", { type: "submit", class: "button" }, tr("Import website"));
  const run = async (e: Event): Promise<void> => {
    e.preventDefault();
    notes.replaceChildren();
    if (missing([[file, tr("Choose a file.")]])) return;
    submit.disabled = true;
    try {
      const done = await send(file.files![0]!, name.value.trim(), (share) =>
        said.said(share < 1 ? tr("Sending: {share} %", { share: Math.round(share * 100) }) : tr("Storing the conversations…")));
      said.said(plural(done.conversations + done.known, "{name} is here with {n} conversation.", "{name} is here with {n} conversations.",
        { name: done.site.name }));
      notes.replaceChildren(...done.notes.map((note) => h("li", {}, note)));
      file.value = name.value = "";
      await imported(done.site);
    } catch (error) {
      said.refused(error, { file, name });
    }
    submit.disabled = false;
  };
  return h("form", { novalidate: true, onsubmit: run },
    h("p", { class: "hint" }, tr("From the file that Export wrote, here or on another relay.")),
    labelled(tr("File"), file), labelled(tr("Name (optional)"), name, tr("Left out, it has the name that it had.")),
    h("div", { class: "buttons" }, submit, said.nodes[0]!), said.nodes[1]!, notes);
}
