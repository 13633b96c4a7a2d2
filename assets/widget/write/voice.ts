// voice.ts records voice messages and plays them. Loaded with the first of either.

import type { Core } from "../types";
import { CROSS, h, icon, iconButton, set, sheet } from "../ui/dom";
import type { Composer } from "./composer";
import { toOgg } from "./ogg";
import css from "./voice.css";
import { voice as english } from "../lang/en.json";

/** A recording ends by itself after this many seconds. */
const MOST = 60;
const KINDS = ["audio/ogg;codecs=opus", "audio/webm;codecs=opus", "audio/mp4"];
const BARS = 48;
const PLAY = "M8 5v14l11-7z";
const PAUSE = "M8 5v14M16 5v14";

export interface Voice {
  styles: CSSStyleSheet;
  record(): Promise<void>;
  /** Ends a recording; false if there was none. */
  cancel(): boolean;
  /** Puts a player before a link to a sound; what cannot be decoded stays a link. */
  play(holder: HTMLElement): void;
}

interface Place {
  composer: Composer;
  upload(files: File[]): void;
}

/** create is quiet until it is asked to record or to play. */
export function create(core: Core, { composer, upload }: Place): Voice {
  const t = core.words("voice", english);
  let stop: (() => void) | undefined;

  const record = async () => {
    if (stop) return;
    stop = () => {};
    let stream: MediaStream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    } catch {
      stop = undefined;
      return core.notice(t.noMicrophone);
    }
    stop = startRecording(stream, composer, t, (blob) => {
      if (blob) void send(blob);
      else stop = undefined;
    });
  };
  const send = async (blob: Blob) => {
    const file = await named(blob);
    const known = new Set(core.store.state.uploads.map((u) => u.key));
    upload([file]);
    const unsubscribe = core.store.subscribe(() => {
      const mine = core.store.state.uploads.find((u) => !known.has(u.key) && u.name === file.name);
      if (!mine?.attachment) return mine?.error && unsubscribe();
      unsubscribe();
      core.submit("");
    });
  };
  core.client.life.addEventListener("abort", () => stop?.());

  return {
    styles: sheet(css),
    record,
    cancel() {
      const was = !!stop;
      stop?.();
      return was;
    },
    play(holder) {
      const link = holder.querySelector("a")!;
      link.hidden = /^voice/.test(link.download);
      const instead = () => {
        node.remove();
        link.hidden = false;
      };
      const node = player(link, instead, t);
      holder.prepend(node);
    },
  };
}

/** startRecording shows its progress above the field, and returns what discards it. */
function startRecording(stream: MediaStream, composer: Composer, t: typeof english, onend: (blob?: Blob) => void): () => void {
  const recorder = new MediaRecorder(stream, { mimeType: KINDS.find((k) => MediaRecorder.isTypeSupported(k)) });
  const chunks: Blob[] = [];
  const context = new AudioContext();
  const analyser = context.createAnalyser();
  context.createMediaStreamSource(stream).connect(analyser);
  const began = performance.now();
  const wave = drawing();
  const time = h("span", { class: "time" }, clock(0));
  const levels: number[] = [];
  const finish = (wanted: boolean) => {
    const hand = () => wanted && onend(new Blob(chunks, { type: recorder.mimeType }));
    recorder.onstop = hand;
    if (recorder.state === "inactive") hand();
    else recorder.stop();
    end();
    bar.remove();
    onend();
    composer.focus();
  };
  const end = () => {
    clearInterval(beat);
    for (const track of stream.getTracks()) track.stop();
    void context.close().catch(() => {});
  };
  const done = h("button", { class: "send", "aria-label": t.sendRecording, onclick: () => finish(true) }, icon("M12 20V5m-7 7 7-7 7 7"));
  const bar = h("div", { class: "flex voice", role: "group", "aria-label": t.recording },
    iconButton(t.discardRecording, CROSS, () => finish(false)),
    h("span", { class: "sr", role: "status" }, t.recording), wave.node, time, done);
  const beat = setInterval(() => {
    const seconds = (performance.now() - began) / 1000;
    levels.push(peakOf(analyser));
    wave.draw(levels.slice(-BARS));
    time.textContent = clock(seconds);
    if (seconds < MOST) return;
    if (recorder.state === "recording") recorder.stop(); // and waits to be sent
    end();
  }, 100);
  recorder.ondataavailable = (e) => chunks.push(e.data);
  recorder.start(1000);
  composer.above(bar);
  done.focus();
  return () => finish(false);
}

/** named gives a recording its name, and the form that messengers take as one. */
async function named(blob: Blob): Promise<File> {
  const kind = blob.type.split(";")[0]!;
  const ogg = kind === "audio/webm" ? toOgg(new Uint8Array(await blob.arrayBuffer())) : undefined;
  const name = "voice-message." + (ogg || kind === "audio/ogg" ? "ogg" : kind === "audio/mp4" ? "m4a" : "webm");
  return new File([ogg || blob], name, { type: ogg ? "audio/ogg" : kind });
}

/** player decodes by itself: pages that forbid media of other hosts still play. */
function player({ href, dataset: { ms, wave: levels } }: HTMLAnchorElement, instead: () => void, t: typeof english): HTMLElement {
  const wave = drawing();
  const time = h("span", { class: "time" }, ms && clock(+ms / 1000));
  const button = iconButton(t.play, PLAY, () => void toggle());
  let context: AudioContext | undefined;
  let buffer: AudioBuffer | undefined;
  let source: AudioBufferSourceNode | undefined;
  let offset = 0;
  let began = 0;
  const at = () => (source ? offset + context!.currentTime - began : offset);
  const show = () => {
    const name = source ? t.pause : t.play;
    set(button, "aria-label", name);
    set(button, "title", name);
    set(button.querySelector("path")!, "d", source ? PAUSE : PLAY);
    const { duration } = buffer!; // nothing is shown anew before it was played
    time.textContent = clock(source || offset ? at() : duration);
    wave.done(at() / duration);
    if (source) requestAnimationFrame(show);
  };
  const pause = () => {
    offset = at();
    source!.onended = null;
    source!.stop();
    source = undefined;
    show();
  };
  const toggle = async () => {
    if (source) return pause();
    try {
      context ||= new AudioContext();
      buffer ||= await context.decodeAudioData(await (await fetch(href, { credentials: "omit" })).arrayBuffer());
    } catch {
      return instead();
    }
    if (!levels) wave.draw(peaksOf(buffer));
    source = context.createBufferSource();
    source.buffer = buffer;
    source.connect(context.destination);
    source.onended = () => {
      source = undefined;
      offset = 0;
      show();
    };
    began = context.currentTime;
    source.start(0, offset);
    show();
  };
  wave.draw(Array.from(levels ? atob(levels) : "0".repeat(BARS), (c) => c.charCodeAt(0) / 255));
  return h("div", { class: "flex player", role: "group", "aria-label": t.voiceMessage }, button, wave.node, time);
}

/** drawing is a waveform of bars. */
function drawing() {
  const node = icon("", "wave");
  const front = node.firstElementChild!.cloneNode() as SVGPathElement;
  set(node, "viewBox", `0 0 ${BARS * 4} 24`);
  set(node, "preserveAspectRatio", "none");
  node.append(front);
  let bars: string[] = [];
  return {
    node,
    draw(levels: number[]) {
      bars = levels.map((v, i) => `M${i * 4 + 2} ${12 - Math.max(0.5, v * 11)}v${Math.max(1, v * 22)}`);
      set(node.firstElementChild!, "d", bars.join(""));
    },
    /** done shows how much was played. */
    done: (part: number) => set(front, "d", bars.slice(0, Math.ceil(part * bars.length)).join("")),
  };
}

function peakOf(analyser: AnalyserNode): number {
  const data = new Float32Array(analyser.fftSize);
  analyser.getFloatTimeDomainData(data);
  return Math.min(1, 2 * loudest(data));
}

function loudest(data: Float32Array): number {
  return data.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
}

function peaksOf(buffer: AudioBuffer): number[] {
  const data = buffer.getChannelData(0);
  const step = Math.ceil(data.length / BARS);
  const most = loudest(data) || 1;
  return Array.from({ length: BARS }, (_, i) => loudest(data.subarray(i * step, (i + 1) * step)) / most);
}

function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}
