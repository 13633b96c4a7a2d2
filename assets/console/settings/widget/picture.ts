// The picture of a website's operators: an address, or a picture from this computer, which relay keeps with the settings.

import { h } from "../../ui/dom";
import { pictureButton, squareOf } from "../../ui/picture";
import type { Control } from "../form";
import { tr } from "../../ui/texts";

const isPicture = (value: string): boolean => value.startsWith("data:image/");

const textOf = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error(tr("This file cannot be read.")));
    reader.readAsDataURL(blob);
  });

export function picture(): Control {
  let chosen = ""; // from this computer
  const shown = h("img", { class: "own-face", alt: "", width: 72, height: 72 });
  const address = h("input", { class: "input", type: "url", autocomplete: "off", spellcheck: "false", placeholder: "https://…" });
  const wrong = h("span", { class: "wrong", role: "alert" });
  const remove = h("button", { class: "button", type: "button", onclick: () => {
    changed("");
    choose[0]!.focus();
  } }, tr("Remove"));
  const draw = (): void => {
    const source = chosen || address.value.trim();
    shown.hidden = !chosen && !source.startsWith("https://");
    if (!shown.hidden) shown.src = source;
    address.hidden = chosen !== "";
    remove.hidden = !chosen;
  };
  const changed = (value: string): void => {
    chosen = value;
    address.value = "";
    wrong.remove();
    draw();
    node.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const choose = pictureButton((file) => {
    squareOf(file, true).then(textOf).then(changed, (error: Error) => {
      wrong.textContent = error.message;
      node.append(wrong);
    });
  });
  address.addEventListener("input", draw);
  const node = h("div", { class: "own-picture" }, shown,
    h("div", { class: "picture-fields" }, address, h("div", { class: "buttons" }, ...choose, remove)));
  return {
    node,
    get: () => chosen || address.value.trim() || null,
    set(value) {
      const now = String(value ?? "");
      chosen = isPicture(now) ? now : "";
      address.value = chosen ? "" : now;
      draw();
    },
    lock: (locked) => node.querySelectorAll<HTMLInputElement>("input, button").forEach((one) => (one.disabled = locked)),
  };
}
