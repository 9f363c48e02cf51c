const intervalMs = 10_000;

/** The wording of a long step's progress lines, and where to log them. */
interface LongStep {
  readonly log: (line: string) => void;
  /** Names the step: "Building nats-server 2.12 with Go". */
  readonly what: string;
  /** Usual duration, for the first line: "2 minutes". */
  readonly usually: string;
}

/** Runs `work` and logs its start, the elapsed time every 10 s, and the total time once it succeeds. */
export async function logProgress<T>({ log, what, usually }: LongStep, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const seconds = () => `${Math.round((performance.now() - startedAt) / 1000)} s`;
  log(`${what} (usually ${usually}) …`);
  const timer = setInterval(() => log(`${what}: still running after ${seconds()} …`), intervalMs);
  try {
    const result = await work();
    log(`${what}: done after ${seconds()}.`);
    return result;
  } finally {
    clearInterval(timer);
  }
}
