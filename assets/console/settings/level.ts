// Whose settings a page shows where there are several websites, and taking over those of another.

import { call } from "../net/api";
import { siteMark, siteName, several } from "../state/sites";
import { attempt, state } from "../state/store";
import { h } from "../ui/dom";
import type { Form } from "./form";
import { shownSite, type Settings } from "./settings";
import { mixed } from "../ui/sentences";
import { tr } from "../ui/texts";

// Pages about relay's people and about the websites themselves belong to none of them.
const ofNobody = ["sites", "team", "notifications", "account"];

// answersLevel: an answer is for one website or for all, whichever are listed.
const answersLevel = (): string => (state.site
  ? tr("What can be sent to visitors of {site}. What you save is for this website only.", { site: siteName(state.site) })
  : tr("What you save is for all websites. To save answers for one of them, choose it in the bar at the top."));

// levelLine is the line at the top of each page.
export function levelLine(): { node: HTMLElement; draw(page: string, form?: Form): void } {
  const node = h("div", { class: "level", hidden: true });
  let form: Form | undefined;
  const from = h("select", { class: "input", "aria-label": tr("Take over the values of another website"), onchange: () => void take() });
  const take = async (): Promise<void> => {
    const id = from.value;
    from.value = "";
    const theirs = await attempt(call<Settings>("GET", "/sites/" + id + "/settings"), tr("The values could not be loaded"));
    if (theirs) form?.take(theirs);
  };
  return {
    node,
    draw(page, its) {
      form = its;
      node.hidden = !several() || ofNobody.includes(page);
      if (node.hidden) return;
      const site = shownSite();
      if (page === "channels") {
        return node.replaceChildren(...(site ? [h("span", {}, ...mixed("For {site} only.", { site: siteMark(site) || siteName(site) }))]
          : [tr("For all websites. To give one of them a channel of its own, choose it in the bar at the top.")]));
      }
      if (!form) return node.replaceChildren(page === "answers" ? answersLevel() : tr("The same for all websites."));
      if (!site) {
        return node.replaceChildren(tr("For all websites. To give one of them other values, choose it in the bar at the top."));
      }
      from.replaceChildren(h("option", { value: "" }, tr("Take over from…")),
        ...state.sites.filter((s) => s.id !== site).map((s) => h("option", { value: s.id }, s.name)));
      node.replaceChildren(h("span", {}, ...mixed("For {site} only.", { site: siteMark(site) || siteName(site) })), from);
    },
  };
}
