// home.ts is what stands below the greeting while nothing was said yet: questions
// to start with, and when somebody is there.

import css from "./home.css";
import { h, icon, sheet } from "../ui/dom";
import { home as english } from "../lang/en.json";
import type { Core, Opening, State } from "../types";

export interface Home {
  node: HTMLElement;
  styles: CSSStyleSheet;
  update(state: State, due: boolean): void;
}

/** How the panel words times. */
export interface Times {
  timeOf(iso: string): string;
  weekdayOf(day: Date): string;
}

/** create makes the card, hidden at first. */
export function create(core: Core, times: Times): Home {
  const node = h("div", { class: "start", hidden: true });
  let shown = "";
  const ask = (question: string) => () => {
    core.method("sendMessage", question).catch(() => {}); // the log says so
  };
  return {
    node,
    styles: sheet(css),
    update({ config, language, hours = [] }, due) {
      node.hidden = !due;
      if (!due) return;
      const starters: string[] = config.texts?.[language]?.starters || config.starters || [];
      const sign = JSON.stringify([starters, hours, language]);
      if (sign === shown) return;
      shown = sign;
      const t = core.words("home", english);
      const questions = starters.map((q) =>
        h("li", null, h("button", { class: "item starter", onclick: ask(q) }, h("span", { dir: "auto" }, q), icon("m9 6 6 6-6 6", "turn"))),
      );
      node.replaceChildren();
      if (questions.length) node.append(h("ul", { class: "box", "aria-label": t.starters }, ...questions));
      if (hours.length) node.append(table(hours, times, t));
    },
  };
}

/** table lists the coming week by the visitor's own clock. */
function table(hours: Opening[], { timeOf, weekdayOf }: Times, t: typeof english): HTMLElement {
  const rows = [0, 1, 2, 3, 4, 5, 6].map((ahead) => {
    const day = new Date();
    day.setDate(day.getDate() + ahead);
    const on = hours.filter((o) => new Date(o.from).toDateString() === day.toDateString());
    const times = on.map((o) => `${timeOf(o.from)} – ${timeOf(o.to)}`);
    const cells = times.length ? times.map((time) => h("div", null, time)) : [t.closedDay];
    return h("tr", null, h("th", { scope: "row" }, weekdayOf(day)), h("td", null, ...cells));
  });
  return h("details", { class: "box" }, h("summary", null, t.hours), h("table", null, ...rows));
}
