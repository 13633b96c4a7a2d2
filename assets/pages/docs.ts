// The documentation: search, the filter of the settings, and where old addresses lead. Everything can be read without it.

import { search } from "./search";

// The API was one page. /docs/reference has the anchors of it, each with a link to where that is described now.
const moved = /^#(tag-|op-|schema-|(start|errors|types)$)/;

function follow(): void {
  if (!moved.test(location.hash)) return;
  if (location.pathname === "/docs") location.replace("/docs/reference" + location.hash);
  if (location.pathname !== "/docs/reference") return;
  const target = document.getElementById(location.hash.slice(1));
  const link = target?.matches("li, h2") ? target.querySelector("a") : null;
  if (link) location.replace(link.href);
}

// filter shows the settings that have every word of the field, and the parts with any of them.
function filter(box: HTMLElement): void {
  const field = box.querySelector("input")!;
  const rows = [...document.querySelectorAll<HTMLElement>(".docs-settings tbody tr")];
  box.hidden = false;
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) row.hidden = !words.every((word) => row.textContent!.toLowerCase().includes(word));
    for (const part of document.querySelectorAll<HTMLElement>(".docs-settings")) {
      part.hidden = words.length > 0 && !part.querySelector("tbody tr:not([hidden])");
    }
    box.querySelector("p")!.textContent = words.length ? counted(rows.filter((row) => !row.hidden).length) : "";
  });
}

function counted(left: number): string {
  if (!left) return "No setting has these words.";
  return left === 1 ? "1 setting" : left + " settings";
}

follow();
addEventListener("hashchange", follow);
const box = document.getElementById("filter");
if (box) filter(box);
const results = document.getElementById("results");
if (results) search(results);
