// look.ts turns configured colours into CSS properties with readable text.

import type { Config, Look } from "./types";

const HEX = /^#[0-9a-f]{6}$/i;

/** readable returns white or black, whichever stands out more (over 4.5:1). */
export function readable(color: string): string {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const c = parseInt(color.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000" : "#fff";
}

/** lookOf gives what the loader keeps, so that the next page starts in colour. */
export function lookOf(config: Config): Look {
  const colors = {
    accent: config.primaryColor,
    toggle: config.toggleColor,
    header: config.headerColor,
    footer: config.footerColor,
    chat: config.chatBackground,
  };
  const look: Look = { side: (config.position || "").includes("left") ? "left" : "right", vars: {} };
  for (const [name, color] of Object.entries(colors)) {
    const ok = color && HEX.test(color);
    look.vars[`--r-${name}`] = ok ? color : "";
    look.vars[`--r-${name}-text`] = ok ? readable(color) : "";
  }
  return look;
}
