// pause.ts waits: with a jitter between tries, and cut short when the
// browser is online again or the tab is looked at.

export interface Pause {
  /** Waits as long as the failed answer asks, or a jitter that wake cuts short. */
  after(error: unknown, attempt: number, base?: number): Promise<void>;
  wake(): void;
}

/** createPause makes a set of sleepers that wake together. */
export function createPause(): Pause {
  const sleepers = new Set<() => void>();
  return {
    after(error, attempt, base) {
      const asked = (error as { wait?: number } | undefined)?.wait;
      return new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer);
          sleepers.delete(done);
          resolve();
        };
        const timer = setTimeout(done, asked || jitter(attempt, base));
        if (!asked) sleepers.add(done);
      });
    },
    wake: () => sleepers.forEach((done) => done()),
  };
}

/**
 * jitter is a random wait that doubles with each try. On a page that is looked
 * at it stays short: the visitor sees the outage end within three seconds.
 */
function jitter(attempt: number, base = 1000): number {
  const most = document.hidden ? 30_000 : 2_500;
  return (0.5 + Math.random() / 2) * Math.min(most, base * 2 ** attempt);
}
