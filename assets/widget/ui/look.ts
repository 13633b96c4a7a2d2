// look.ts turns configured colours into CSS properties with readable text.

import type { Config, Look } from "../types";

const HEX = /^#[0-9a-f]{6}$/i;

/** readable returns white or black, whichever stands out more (over 4.5:1). */
export function readable(color: string): string {
  return luminance(color) > 0.179 ? "#000" : "#fff";
}

/** luminance is how bright a colour is, from 0 to 1. */
function luminance(color: string): number {
  const [r, g, b] = channels(color).map((v) => {
    const c = v / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

const channels = (color: string) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));

/** The dark panel's background. */
const DARK = "#171a22";

/**
 * darkened is a surface's colour on a dark page. Strong colours are a brand's and
 * stay; a pale one becomes a tint of the dark background.
 */
function darkened(color: string): string {
  const own = channels(color);
  if (luminance(color) < 0.1 || Math.max(...own) - Math.min(...own) > 96) return color;
  const mixed = channels(DARK).map((v, i) => Math.round(v * 0.88 + own[i]! * 0.12));
  return "#" + mixed.map((v) => v.toString(16).padStart(2, "0")).join("");
}

const valid = (color = "") => (HEX.test(color) ? color : "");

/** lookOf gives what the loader keeps, so that the next page starts in colour. */
export function lookOf(config: Config): Look {
  const colors = {
    accent: [config.primaryColor, config.darkPrimaryColor || config.primaryColor],
    toggle: [config.toggleColor],
    header: [config.headerColor, config.darkHeaderColor],
    footer: [config.footerColor, config.darkFooterColor],
    chat: [config.chatBackground, config.darkChatBackground],
  };
  const look: Look = { side: (config.position || "").includes("left") ? "left" : "right", vars: {} };
  for (const [name, [color, own]] of Object.entries(colors)) {
    const light = valid(color);
    const put = (name: string, value: string) => {
      look.vars[name] = value;
      look.vars[name + "-text"] = value && readable(value);
    };
    put("--r-" + name, light);
    put("--d-" + name, valid(own) || (light && darkened(light)));
  }
  return look;
}
