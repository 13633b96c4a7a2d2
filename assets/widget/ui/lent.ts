// lent.ts stands in the place of dom.ts in the parts that the panel makes: the
// panel lends them its own, so that no part carries a copy. The build leaves out the
// names that a part does not use.

import type * as dom from "./dom";
import type { Lent } from "./lazy";

export let CROSS: typeof dom.CROSS;
export let h: typeof dom.h;
export let set: typeof dom.set;
export let icon: typeof dom.icon;
export let iconButton: typeof dom.iconButton;
export let link: typeof dom.link;
export let textButton: typeof dom.textButton;
export let sheet: typeof dom.sheet;

/** use comes before create. */
export function use(lent: Lent): void {
  [h, sheet, iconButton, set, icon, CROSS, textButton, link] = lent;
}
