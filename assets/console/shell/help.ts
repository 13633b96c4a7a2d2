// All keyboard shortcuts, in a dialog that is loaded when it is opened first.

import { h, iconButton } from "../ui/dom";
import { tr } from "../ui/texts";

const groups: [string, [string[], string][]][] = [
  [tr("Everywhere"), [[["Ctrl", "K"], tr("Search and commands")], [["j", "↓"], tr("Next conversation")],
    [["k", "↑"], tr("Previous conversation")],
    [["/"], tr("Search")],
    [["↓"], tr("From the search to its results")], [["?"], tr("This list")],
      [["g", "s"], tr("Choose the website, where there are several")],
    [["Esc"], tr("Leave a field, a menu or a conversation")]]],
  [tr("In the list"), [[["x"], tr("Select a conversation")], [["Shift", "↓"], tr("Select several; or click with Shift")],
    [["e"], tr("Close the selected ones")], [["u"], tr("Mark them as unread")], [["Esc"], tr("Clear the selection")]]],
  [tr("In a conversation"), [[["r"], tr("Write an answer")], [["n"], tr("Write an internal note")], [["e"], tr("Close or reopen it")],
    [["u"], tr("Mark it as unread")]]],
  [tr("While writing"), [[["Enter"], tr("Send")], [["Shift", "Enter"], tr("New line")], [["/"], tr("Saved answers and commands")],
    [["//"], tr("Internal note")], [["↑"], tr("Edit your last message")], [["Esc"], tr("Stop editing or replying")]]],
];

const dialog: HTMLDialogElement = h("dialog", { class: "ask help", "aria-labelledby": "help-title" },
  h("div", { class: "help-head" }, h("h2", { id: "help-title" }, tr("Keyboard")), iconButton("cross", tr("Close"), () => dialog.close())),
  ...groups.map(([name, keys]) => h("section", {}, h("h3", {}, name), h("dl", {}, ...keys.map(([names, what]) =>
    h("div", {}, h("dt", {}, ...names.map((key) => h("kbd", {}, key))), h("dd", {}, what)))))));
document.body.append(dialog);

export function showHelp(): void {
  dialog.showModal();
}
