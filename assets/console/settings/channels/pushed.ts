// How the platforms bring operators' answers: relay asks for them, unless these settings make the platforms push them.

import { h } from "../../ui/dom";
import type { BridgeKind } from "../../types";
import { check, secret, text } from "../controls";
import { form, type Control, type Form } from "../form";
import { tr } from "../../ui/texts";

type Option = BridgeKind["options"][number];

const controls: Record<Option["control"], (o: Option) => Control> = {
  secret: (o) => secret(o.none ?? ""),
  check,
  text: (o) => text({ class: "input code", maxlength: o.longest }),
};

export function pushed(kinds: readonly BridgeKind[]): Form {
  const fields = kinds.flatMap((kind) => kind.options)
    .map((o) => ({ name: o.setting, label: o.label, hint: o.hint, control: controls[o.control](o) }));
  return form(fields, (n) => [h("details", { class: "panel more" }, h("summary", {}, tr("How answers arrive")), ...Object.values(n))]);
}
