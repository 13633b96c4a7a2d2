// Notifications: this browser's, and the list of the operator's devices.

import { h } from "../ui/dom";
import { fullTime } from "../ui/format";
import * as push from "../notify/push";
import type { Page } from "./page";
import { button, outcome, section } from "./settings";

const deviceRow = (d: push.Device, test: (d: push.Device) => unknown, remove: (d: push.Device) => unknown): HTMLElement =>
  h("li", {}, h("b", {}, d.label || "A browser"), h("span", { class: "hint" }, " since " + fullTime(d.createdAt) + " "),
    button("Test", () => test(d), "Test " + d.label), " ", button("Remove", () => remove(d), "Remove " + d.label));

export function notificationsPage(): Page {
  const { status, wrong, attempt } = outcome();
  const toggleButton = h("button", { class: "button main", hidden: true, onclick: () => void toggle() });
  const list = h("ul", { class: "found", "aria-label": "Your devices" });
  let own: PushSubscription | null = null;

  const toggle = (): Promise<void> => attempt("Could not change", async () => {
    if (own) {
      const mine = localStorage.getItem("relay.device");
      if (mine) await push.remove(mine).catch(() => {});
      await own.unsubscribe();
      status.textContent = "This browser no longer gets notifications.";
    } else {
      localStorage.setItem("relay.device", (await push.subscribe()).id);
      status.textContent = "This browser now gets notifications, also while the console is closed.";
    }
    await draw();
  });
  const test = (device: push.Device): Promise<void> => attempt("Not sent", async () => {
    status.textContent = "Sending…";
    const done = await push.test(device.id);
    if (!done.ok) throw new Error(done.error);
    status.textContent = "Sent to " + device.label + ".";
  });
  const remove = (d: push.Device): Promise<void> => attempt("Not removed", async () => {
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
    toggleButton.textContent = own ? "Stop notifying this browser" : "Notify me in this browser";
    toggleButton.hidden = false;
    toggleButton.disabled = !!problem;
    if (problem) status.textContent = problem;
    list.replaceChildren(...devices.map((d) => deviceRow(d, test, remove)));
    devicesSection.hidden = !devices.length;
    document.dispatchEvent(new CustomEvent("relay-pushed", { detail: !!own }));
  };
  const devicesSection = section("Your devices",
    h("p", { class: "hint" }, "A device that its push service no longer knows is removed automatically."), list);
  devicesSection.hidden = true;

  return {
    node: h("div", {}, section("This browser",
      h("p", { class: "hint" },
        "A visitor’s message notifies you here, even while the console is closed, unless somebody answers, " +
          "reads or opens it within five seconds. On a phone, install the console first: “Add to home screen” in the " +
          "browser’s menu."),
      h("p", { class: "hint" }, "To choose what you are notified of, and whether notifications show what the visitor wrote, open ",
        h("a", { href: "#/account" }, "Your account"), "."),
      h("div", { class: "buttons" }, toggleButton), status, wrong), devicesSection),
    opened: () => void attempt("Not loaded", draw),
  };
}
