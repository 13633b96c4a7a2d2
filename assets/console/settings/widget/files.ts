// Which files may be sent.

import { h } from "../../ui/dom";
import type { Control } from "../form";
import { button, labelled } from "../settings";
import { tr } from "../../ui/texts";

interface Rules {
  enabled?: boolean;
  // maxBytes is a limit that the API stored with the rules; it wins over attachmentMaxBytes.
  maxBytes?: number;
  types?: string[] | null;
}

const mega = 1 << 20;
const inMegabytes = (bytes: number): string => String(Math.round((bytes / mega) * 1000) / 1000);

// megabytes edits a number of bytes. One that was not changed stays as it is to the byte.
export function megabytes(): Control {
  const node = h("input", { class: "input", type: "number", min: 0.001, max: 1024, step: "any", inputmode: "decimal" });
  let stored: unknown = null;
  let filled = "";
  return {
    node,
    get: () => (node.value === filled ? stored : node.value ? Math.round(Number(node.value) * mega) : null),
    set(value) {
      stored = value;
      filled = node.value = typeof value === "number" ? inMegabytes(value) : "";
    },
    lock: (locked) => void (node.disabled = locked),
  };
}

// files edits the rules as a whole.
export function files(): Control {
  const on = h("input", { type: "checkbox", onchange: () => draw() });
  const types = h("textarea", { class: "input code", rows: 3, spellcheck: "false", placeholder: "image/*\napplication/pdf" });
  const limit = h("p", { class: "hint" });
  const some = h("div", {}, labelled(tr("Types, one per line"), types, tr("MIME types, or halves of them like image/*. None means any.")),
    limit);
  let own: number | undefined;

  const draw = (): void => {
    some.hidden = !on.checked;
    limit.hidden = own === undefined;
    if (own === undefined) return;
    limit.replaceChildren(tr("These file types have their own limit, which takes precedence: {own} MB.", { own: inMegabytes(own) }) + " ",
      button(tr("Remove it"), drop, tr("Remove the limit of {own} MB", { own: inMegabytes(own) })));
  };
  const drop = (): void => {
    own = undefined;
    draw();
    node.dispatchEvent(new Event("input", { bubbles: true }));
    types.focus();
  };
  const node = h("div", {}, h("label", { class: "check" }, on, " " + tr("Visitors can send files")), some);
  return {
    node,
    get() {
      const list = types.value.split(/[\s,]+/).filter(Boolean);
      return { enabled: on.checked, ...(own === undefined ? {} : { maxBytes: own }), ...(list.length ? { types: list } : {}) };
    },
    set(value) {
      const rules = (value ?? {}) as Rules;
      on.checked = rules.enabled !== false;
      own = rules.maxBytes;
      types.value = (rules.types ?? []).join("\n");
      draw();
    },
    lock: (locked) => void (node.inert = locked),
  };
}
