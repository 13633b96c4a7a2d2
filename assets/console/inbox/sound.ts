// The player of a voice message, loaded with the first one. Its length and its waveform are there before the sound is.

import { h, icon } from "../ui/dom";
import { fileURL } from "../ui/format";
import type { Attachment } from "../types";
import { tr } from "../ui/texts";

const space = "http://www.w3.org/2000/svg";
const step = 0.05;

let playing: HTMLAudioElement | undefined;

const clock = (seconds: number): string => Math.floor(seconds / 60) + ":" + String(Math.floor(seconds % 60)).padStart(2, "0");

// drawing is a row of bars, of which the front ones are filled.
function drawing(waveform: string): { node: Element; fill(part: number): void } {
  const bars = Array.from(atob(waveform), (c, i) => {
    const height = Math.max(1, (22 * c.charCodeAt(0)) / 255);
    return "M" + (i * 4 + 2) + " " + (12 - height / 2) + "v" + height;
  });
  const make = (name: string): Element => document.createElementNS(space, name);
  const node = make("svg");
  const whole = make("path");
  const front = make("path");
  node.setAttribute("viewBox", "0 0 " + bars.length * 4 + " 24");
  node.setAttribute("preserveAspectRatio", "none");
  node.append(whole, front);
  whole.setAttribute("d", bars.join(""));
  return { node, fill: (part) => front.setAttribute("d", bars.slice(0, Math.ceil(part * bars.length)).join("")) };
}

// player plays one voice message at a time.
export function player(a: Attachment): HTMLElement {
  const length = (a.durationMs || 0) / 1000;
  const audio = h("audio", { src: fileURL(a.url), preload: "none" });
  const { node, fill } = drawing(a.waveform || "");
  const time = h("span", { class: "voice-time" });
  const button = h("button", { class: "tool", onclick: () => (audio.paused ? void start() : audio.pause()) }, icon("play"));
  const seek = (part: number): void => {
    audio.currentTime = Math.min(Math.max(part, 0), 1) * length;
    show();
  };
  const start = async (): Promise<void> => {
    if (playing !== audio) playing?.pause();
    playing = audio;
    await audio.play().catch(() => (time.textContent = tr("This cannot be played here.")));
  };
  const slider = h("div", { class: "voice-wave", role: "slider", tabindex: "0", "aria-label": tr("Position"), "aria-valuemin": 0,
    "aria-valuemax": Math.round(length), onclick: (e: MouseEvent) => seek(e.offsetX / slider.offsetWidth),
    onkeydown: (e: KeyboardEvent) => {
      const by = { ArrowRight: step, ArrowUp: step, ArrowLeft: -step, ArrowDown: -step, Home: -1, End: 1 }[e.key];
      if (!by) return;
      e.preventDefault();
      seek(audio.currentTime / length + by);
    } }, node);
  const show = (): void => {
    const now = Math.min(audio.currentTime, length);
    const name = audio.paused ? tr("Play") : tr("Pause");
    button.title = name;
    button.setAttribute("aria-label", name);
    button.querySelector("use")?.setAttribute("href", audio.paused ? "#i-play" : "#i-pause");
    fill(now / length);
    time.textContent = clock(now || length);
    slider.setAttribute("aria-valuenow", String(Math.round(now)));
    slider.setAttribute("aria-valuetext", tr("{at} of {n}", { at: clock(now), n: clock(length) }));
  };
  for (const type of ["play", "pause", "timeupdate", "ended"]) audio.addEventListener(type, show);
  show();
  return h("div", { class: "voice", role: "group", "aria-label": tr("Voice message") }, button, slider, time, audio);
}
