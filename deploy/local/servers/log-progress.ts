/** What to say while a long step goes on. */
export interface ProgressOptions {
  readonly log: (line: string) => void;
  /** What goes on, as a noun phrase: "pip install of SecantusDB 0.7.0b3". */
  readonly what: string;
  /** How long it usually takes, for people: "15 seconds". */
  readonly usually: string;
  /** Default 10,000. */
  readonly everyMs?: number;
}

/** Says that `work` goes on, then how long it has been going on every 10 s, then how long it took. */
export async function logProgress<T>(options: ProgressOptions, work: () => Promise<T>): Promise<T> {
  const { log, what, usually, everyMs = 10_000 } = options;
  const startedAt = performance.now();
  const seconds = () => `${Math.round((performance.now() - startedAt) / 1000)} s`;
  log(`${what} (usually ${usually}) …`);
  const timer = setInterval(() => log(`${what}: still going on after ${seconds()} …`), everyMs);
  try {
    const result = await work();
    log(`${what}: done after ${seconds()}.`);
    return result;
  } finally {
    clearInterval(timer);
  }
}
