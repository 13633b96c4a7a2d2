// Notifications: this browser's, and the list of the operator's devices.

import { h } from "../ui/dom";
import { fullTime } from "../ui/format";
import * as push from "../notify/push";
import type { Page } from "./page";
import { button, outcome, section } from "./settings";
import { mixed } from "../ui/sentences";
import { tr } from "../ui/texts";

const deviceRow = (d: push.Device, test: (d: push.Device) => unknown, remove: (d: push.Device) => unknown): HTMLElement =>
  h("li", {}, h("b", {}, d.label || tr("A browser")),
    h("span", { class: "hint" }, " " + tr("since {time}", { time: fullTime(d.createdAt) }) + " "),
    button(tr("Test"), () => test(d), tr("Test {label}", { label: d.label })), " ",
      button(tr("Remove"), () => remove(d), tr("Remove {label}", { label: d.label })));

export function notificationsPage(): Page {
  const { status, wrong, attempt } = outcome();
  const toggleButton = h("button", { class: "button main", hidden: true, onclick: () => void toggle() });
  const list = h("ul", { class: "found", "aria-label": tr("Your devices") });
  let own: PushSubscription | null = null;

  const toggle = (): Promise<void> => attempt(tr("Could not change"), async () => {
    if (own) {
      const mine = localStorage.getItem("relay.device");
      if (mine) await push.remove(mine).catch(() => {});
      await own.unsubscribe();
      status.textContent = tr("This browser no longer gets notifications.");
    } else {
      localStorage.setItem("relay.device", (await push.subscribe()).id);
      status.textContent = tr("This browser now gets notifications, also while the console is closed.");
    }
    await draw();
  });
  const test = (device: push.Device): Promise<void> => attempt(tr("Not sent"), async () => {
    status.textContent = tr("Sending…");
    const done = await push.test(device.id);
    if (!done.ok) throw new Error(done.error);
    status.textContent = tr("Sent to {label}.", { label: device.label });
  });
  const remove = (d: push.Device): Promise<void> => attempt(tr("Not removed"), async () => {
    await push.remove(d.id);
    if (d.id === localStorage.getItem("relay.device")) await own?.unsubscribe();
    await draw();
  });
  const draw = async (): Promise<void> => {
    own = await push.subscription();
    const { devices } = await push.devices();
    const here = devices.find((d) => d.id === localStorage.getItem("relay.device"));
    if (!here) own = null;
    const problem = push.lacking();
    toggleButton.textContent = own ? tr("Stop notifying this browser") : tr("Notify me in this browser");
    toggleButton.hidden = false;
    toggleButton.disabled = !!problem;
    if (problem) status.textContent = problem;
    list.replaceChildren(...devices.map((d) => deviceRow(d, test, remove)));
    devicesSection.hidden = !devices.length;
    document.dispatchEvent(new CustomEvent("relay-pushed", { detail: !!own }));
  };
  const devicesSection = section(tr("Your devices"),
    h("p", { class: "hint" }, tr("A device that its push service no longer knows is removed automatically.")), list);
  devicesSection.hidden = true;

  return {
    node: h("div", {}, section(tr("This browser"),
      h("p", { class: "hint" },
        tr("A visitor’s message notifies you here, even while the console is closed, unless somebody answers, " +
          "reads or opens it within five seconds. On a phone, install the console first: “Add to home screen” in the " +
          "browser’s menu.")),
      h("p", { class: "hint" }, ...mixed("To choose what you are notified of, and whether notifications show what the visitor wrote, " +
        "open {page}.", { page: h("a", { href: "#/account" }, tr("Your account")) })),
      h("div", { class: "buttons" }, toggleButton), status, wrong), devicesSection),
    opened: () => void attempt(tr("Not loaded"), draw),
  };
}
