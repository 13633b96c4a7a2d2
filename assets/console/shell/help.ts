// All keyboard shortcuts, in a dialog that is loaded when it is opened first.

import { h, iconButton } from "../ui/dom";

const groups: [string, [string[], string][]][] = [
  ["Everywhere", [[["Ctrl", "K"], "Search and commands"], [["j", "↓"], "Next conversation"], [["k", "↑"], "Previous conversation"],
    [["/"], "Search"],
    [["↓"], "From the search to its results"], [["?"], "This list"], [["g", "s"], "Choose the website, where there are several"],
    [["Esc"], "Leave a field, a menu or a conversation"]]],
  ["In the list", [[["x"], "Select a conversation"], [["Shift", "↓"], "Select several; or click with Shift"],
    [["e"], "Close the selected ones"], [["u"], "Mark them as unread"], [["Esc"], "Clear the selection"]]],
  ["In a conversation", [[["r"], "Write an answer"], [["n"], "Write an internal note"], [["e"], "Close or reopen it"],
    [["u"], "Mark it as unread"]]],
  ["While writing", [[["Enter"], "Send"], [["Shift", "Enter"], "New line"], [["/"], "Saved answers and commands"],
    [["//"], "Internal note"], [["↑"], "Edit your last message"], [["Esc"], "Stop editing or replying"]]],
];

const dialog: HTMLDialogElement = h("dialog", { class: "ask help", "aria-labelledby": "help-title" },
  h("div", { class: "help-head" }, h("h2", { id: "help-title" }, "Keyboard"), iconButton("cross", "Close", () => dialog.close())),
  ...groups.map(([name, keys]) => h("section", {}, h("h3", {}, name), h("dl", {}, ...keys.map(([names, what]) =>
    h("div", {}, h("dt", {}, ...names.map((key) => h("kbd", {}, key))), h("dd", {}, what)))))));
document.body.append(dialog);

export function showHelp(): void {
  dialog.showModal();
}
