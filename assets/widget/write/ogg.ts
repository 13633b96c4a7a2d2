// ogg.ts puts the Opus packets of a WebM recording into an Ogg file: messengers
// take that as a voice message, and WebM as a mere file.

/** Elements of WebM that hold others, and the ones that are read (RFC 8794, RFC 9559). */
const HOLDERS = [0x18538067, 0x1f43b675, 0x1654ae6b, 0xae, 0xa0];
const CODEC_PRIVATE = 0x63a2;
const BLOCKS = [0xa3, 0xa1];
/** A page has 255 segments of 255 bytes at most: so many packets of 5 kB, and those of recordings have one. */
const PAGE = 12;

/** toOgg is undefined for what is not a recording of one Opus track. */
export function toOgg(webm: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  let head: Uint8Array | undefined;
  const packets: Uint8Array[] = [];
  let at = 0;
  const number = (keep: boolean) => {
    const length = Math.clz32(webm[at]! || 1) - 23;
    let value = keep ? webm[at]! : webm[at]! & (0xff >> length);
    for (let i = 1; i < length; i++) value = value * 256 + webm[at + i]!;
    at += length;
    return value;
  };
  while (at < webm.length) {
    const id = number(true);
    const size = number(false);
    if (HOLDERS.includes(id)) continue; // its size may be unknown yet
    const data = webm.subarray(at, at + size);
    if (id === CODEC_PRIVATE) head = data;
    // Track, time and flags come before the packet; laced blocks hold several.
    if (BLOCKS.includes(id)) {
      if (data[3]! & 6) return undefined;
      packets.push(data.subarray(4));
    }
    at += size;
  }
  if (!head || String.fromCharCode(...head.subarray(0, 8)) !== "OpusHead" || !packets.length) return undefined;
  return pages(head, packets);
}

/** pages writes the two headers and the packets (RFC 3533, RFC 7845). */
function pages(head: Uint8Array, packets: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const out: Uint8Array[] = [];
  const serial = crypto.getRandomValues(new Uint8Array(4));
  let samples = 0;
  const tags = new TextEncoder().encode("OpusTags\x05\0\0\0relay\0\0\0\0");
  const write = (list: Uint8Array[], flags: number) => out.push(page(list, flags, samples, serial, out.length));
  write([head], 2);
  write([tags], 0);
  while (packets.length) {
    const some = packets.splice(0, PAGE);
    for (const packet of some) samples += duration(packet);
    write(some, packets.length ? 0 : 4);
  }
  return join(out);
}

/** duration counts a packet's samples at 48 kHz (RFC 6716, 3.1). */
function duration(packet: Uint8Array): number {
  const config = packet[0]! >> 3;
  const size = config < 12 ? [480, 960, 1920, 2880][config & 3]! : config < 16 ? 480 << (config & 1) : 120 << (config & 3);
  return size * [1, 2, 2, packet[1]! & 63][packet[0]! & 3]!;
}

function page(packets: Uint8Array[], flags: number, samples: number, serial: Uint8Array, index: number) {
  // Ogg's way to say how long each packet is.
  const lacing = packets.flatMap((p) => [...Array<number>(Math.floor(p.length / 255)).fill(255), p.length % 255]);
  const head = new Uint8Array(27 + lacing.length);
  const view = new DataView(head.buffer);
  head.set([79, 103, 103, 83, 0, flags]);
  view.setUint32(6, samples, true);
  head.set(serial, 14);
  view.setUint32(18, index, true);
  head[26] = lacing.length;
  head.set(lacing, 27);
  const all = join([head, ...packets]);
  new DataView(all.buffer).setUint32(22, sum(all), true);
  return all;
}

function sum(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  }
  return crc >>> 0;
}

function join(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
