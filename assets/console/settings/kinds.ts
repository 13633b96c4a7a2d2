// The platforms that relay knows.

import { call } from "../net/api";
import { locale } from "../ui/texts";
import type { BridgeKind } from "../types";

let known: Promise<BridgeKind[]> | undefined;

// kinds asks once: they are the same as long as relay runs.
export function kinds(): Promise<BridgeKind[]> {
  known ??= call<{ kinds: BridgeKind[] }>("GET", "/bridges").then((answer) => answer.kinds);
  known.catch(() => (known = undefined));
  return known;
}

// titles lists their names in a sentence, behind another place.
export const titles = (list: readonly BridgeKind[]): string =>
  new Intl.ListFormat(locale === "en" || locale.startsWith("en-") ? "en-GB" : locale).format(list.map((kind) => kind.title));
