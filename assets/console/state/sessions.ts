// The sessions that were seen, by id. Each change makes a new value that shares most of the old one's parts:
// copying ten thousand entries with every event would take longer than drawing what changed.

import type { Session } from "../types";

type Part = Readonly<Record<string, Session>>;

// parts is a power of two.
const parts = 128;

function partOf(id: string): number {
  let sum = 0;
  for (let i = Math.max(id.length - 4, 0); i < id.length; i++) sum = sum * 31 + id.charCodeAt(i);
  return sum & (parts - 1);
}

export class Sessions {
  // unread is the sum of all sessions'.
  constructor(private readonly held: readonly Part[] = Array(parts).fill({}), readonly size = 0, readonly unread = 0) {}

  get(id: string): Session | undefined {
    return this.held[partOf(id)]![id];
  }

  // with puts in some sessions, or replaces them.
  with(changed: readonly Session[]): Sessions {
    const held = [...this.held];
    let { size, unread } = this;
    for (const s of changed) {
      const at = partOf(s.id);
      const old = held[at]![s.id];
      unread += s.unread - (old?.unread ?? 0);
      size += old ? 0 : 1;
      held[at] = { ...held[at], [s.id]: s };
    }
    return new Sessions(held, size, unread);
  }

  without(id: string): Sessions {
    const old = this.get(id);
    if (!old) return this;
    const held = [...this.held];
    const { [id]: _, ...others } = held[partOf(id)]!;
    held[partOf(id)] = others;
    return new Sessions(held, this.size - 1, this.unread - old.unread);
  }
}
