// The hours of one day as a row of from and to.

import { h, iconButton } from "../ui/dom";
import { button } from "./settings";
import { tr } from "../ui/texts";

export interface Intervals {
  node: HTMLElement;
  get(): string[];
  set(list: string[]): void;
}

// intervals edits the hours of what is called name, such as Monday.
export function intervals(name: string, onchange: () => void): Intervals {
  const list = h("ul", { class: "intervals" });
  const add = button(tr("Add hours"), () => {
    const last = list.lastElementChild as HTMLLIElement | null;
    list.append(row(last ? "13:00" : "09:00", "17:00"));
    onchange();
    list.lastElementChild?.querySelector("input")?.focus();
  }, tr("Add hours on {name}", { name }));

  const row = (from: string, to: string): HTMLLIElement => {
    const start = h("input", { class: "input", type: "time", required: true, value: from, "aria-label": tr("{name}, from", { name }),
      oninput: onchange });
    const end = h("input", { class: "input", type: "time", required: true, value: to, "aria-label": tr("{name}, to", { name }),
      oninput: onchange });
    const night = h("span", { class: "hint" });
    const item = h("li", {}, start, h("span", { "aria-hidden": "true" }, "–"), end,
      iconButton("cross", tr("Remove these hours on {name}", { name }), () => {
        item.remove();
        onchange();
        add.focus();
      }), night);
    const mark = (): void => void (night.textContent = nextDay(start.value, end.value) ? tr("ends on the next day") : "");
    item.addEventListener("input", mark);
    mark();
    return item;
  };

  return {
    node: h("div", { class: "day-hours" }, list, add),
    get: () => [...list.children].map((item) => {
      const [from, to] = [...item.querySelectorAll("input")].map((input) => input.value);
      return (from ?? "") + "-" + (to === "00:00" ? "24:00" : to ?? "");
    }),
    set(texts) {
      list.replaceChildren(...texts.map((text) => row(text.slice(0, 5), text.slice(6).replace("24:00", "00:00"))));
    },
  };
}

// nextDay reports whether hours end after midnight. Midnight itself is the end of the day.
function nextDay(from: string, to: string): boolean {
  return !!from && !!to && to !== "00:00" && to < from;
}
