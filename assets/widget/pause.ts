// pause.ts waits: with full jitter between tries, and cut short when the
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

/** jitter is a random wait below a bound that doubles with each try, to 30 s. */
function jitter(attempt: number, base = 1000): number {
  return Math.random() * Math.min(30_000, base * 2 ** attempt);
}
