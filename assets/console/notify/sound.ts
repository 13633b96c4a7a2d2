// The sound of a message: two short tones, made here. One tab makes it.

let context: AudioContext | undefined;

// wake lets later sounds be heard: browsers allow none before the page was touched.
export function wake(): void {
  context ??= new AudioContext();
  if (context.state === "suspended") void context.resume();
}

function tone(at: AudioContext, pitch: number, start: number, length: number): void {
  const voice = at.createOscillator();
  const volume = at.createGain();
  voice.type = "sine";
  voice.frequency.value = pitch;
  volume.gain.setValueAtTime(0.0001, start);
  volume.gain.exponentialRampToValueAtTime(0.18, start + 0.015);
  volume.gain.exponentialRampToValueAtTime(0.0001, start + length);
  voice.connect(volume).connect(at.destination);
  voice.start(start);
  voice.stop(start + length);
}

export function play(): void {
  if (!context || context.state !== "running") return;
  tone(context, 660, context.currentTime, 0.16);
  tone(context, 880, context.currentTime + 0.11, 0.22);
}
