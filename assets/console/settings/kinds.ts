// The platforms that relay knows.

import { call } from "../net/api";
import { known, locale } from "../ui/texts";
import type { BridgeKind } from "../types";

let all: Promise<BridgeKind[]> | undefined;

const spoken = /^(?:about|label|hint|text|wrong|looks|place|waiting|use|add|addButton|make|member|none)$/;

// inLanguage is what relay says of its platforms in the language of the console.
export const inLanguage = (kinds: readonly BridgeKind[]): BridgeKind[] =>
  JSON.parse(JSON.stringify(kinds), (name, value: unknown) =>
    (typeof value === "string" && spoken.test(name) ? known(value) : value)) as BridgeKind[];

// kinds asks once: they are the same as long as relay runs.
export function kinds(): Promise<BridgeKind[]> {
  all ??= call<{ kinds: BridgeKind[] }>("GET", "/bridges").then((answer) => inLanguage(answer.kinds));
  all.catch(() => (all = undefined));
  return all;
}

// titles lists their names in a sentence, behind another place.
export const titles = (list: readonly BridgeKind[]): string =>
  new Intl.ListFormat(locale === "en" || locale.startsWith("en-") ? "en-GB" : locale).format(list.map((kind) => kind.title));
