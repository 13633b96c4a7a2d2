// Where a setting's value comes from, and the way back to it.

import { state } from "../state/store";
import { h } from "../ui/dom";
import { variableOf, type Settings } from "./settings";
import { mixed } from "../ui/sentences";
import { tr } from "../ui/texts";

export interface Origin {
  locked: boolean;
  text: (Node | string)[];
  // act is what a button behind the text does: edit it here after all, or take this value back.
  act?: { text: string; does: "edit" | "reset" };
}

const code = (text: string): Node => h("code", {}, text);

// ofSite is about the values that the chosen website has.
function ofSite(settings: Settings, name: string): Origin {
  if (!settings.perSite?.includes(name)) {
    return { locked: true, text: [tr("The same for all websites. Choose “All websites” in the bar at the top to change it.")] };
  }
  switch (settings.sources[name]) {
    case "file":
      return { locked: true, text: mixed("Set in {place}.",
        { place: code(state.sites.find((s) => s.id === state.site)?.declaredIn ?? "SITES_FILE") }) };
    case "site":
      return { locked: false, text: [tr("For this website only.") + " "],
        act: { text: tr("Use the value of all websites"), does: "reset" } };
  }
  return { locked: false, text: [tr("As for all websites.")] };
}

// originOf says where a value comes from. What a variable sets is locked until somebody wants another value here.
export function originOf(settings: Settings, name: string): Origin {
  if (settings.perSite && state.site) return ofSite(settings, name);
  const variable = variableOf(settings, name);
  if (!variable) return { locked: false, text: [] };
  if (settings.sources[name] === "environment") {
    return { locked: true, text: [h("span", { class: "locked" }, ...mixed("Set by {variable}", { variable: code(variable) }), " ")],
      act: { text: tr("Set it here instead"), does: "edit" } };
  }
  return { locked: false, text: [...mixed("Overrides {variable}.", { variable: code(variable) }), " "],
    act: { text: tr("Use {variable} again", { variable }), does: "reset" } };
}
