// A colour as a field and a picker, with the contrast of the text that the widget puts on it.

import { h } from "../../ui/dom";
import type { Control } from "../form";
import { tr } from "../../ui/texts";

const hex = /^#[0-9a-f]{6}$/i;

function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const c = parseInt(colour.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// contrastText says which text stands on a colour, and how well it reads. One of both always reaches 4.5.
function contrastText(colour: string): string {
  const l = luminance(colour);
  const [white, black] = [1.05 / (l + 0.05), (l + 0.05) / 0.05];
  return white >= black ? tr("White text on it, contrast {n} : 1", { n: Math.max(white, black).toFixed(1) })
    : tr("Black text on it, contrast {n} : 1", { n: Math.max(white, black).toFixed(1) });
}

export function colour(label: string, fallback: string): Control {
  const text = h("input", { class: "input code", maxlength: 7, spellcheck: "false", autocomplete: "off",
    placeholder: fallback || tr("Same as the accent colour"), "aria-label": label });
  const pick = h("input", { type: "color", "aria-label": tr("{label}, picker", { label }) });
  const said = h("span", { class: "hint" });
  const node = h("div", { class: "colour" }, pick, text, said);
  const draw = (): void => {
    const value = text.value.trim() || fallback;
    const valid = hex.test(value);
    if (valid) pick.value = value;
    said.textContent = valid ? contrastText(value) : "";
  };
  text.addEventListener("input", draw);
  pick.addEventListener("input", () => {
    text.value = pick.value;
    draw();
  });
  return {
    node,
    get: () => text.value.trim().toLowerCase() || null,
    set(value) {
      text.value = String(value ?? "");
      draw();
    },
    lock: (locked) => void (text.disabled = pick.disabled = locked),
  };
}
