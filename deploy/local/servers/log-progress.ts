/** Describes a long step for its progress lines. */
export interface ProgressOptions {
  readonly log: (line: string) => void;
  /** The step as a noun phrase: "go install of nats-server 2.12". */
  readonly what: string;
  /** Its usual duration: "15 seconds". */
  readonly usually: string;
  /** Interval of the progress lines. Default 10,000. */
  readonly everyMs?: number;
}

/** Runs `work` and logs its start, the elapsed time every 10 s, and the total time once it succeeds. */
export async function logProgress<T>(options: ProgressOptions, work: () => Promise<T>): Promise<T> {
  const { log, what, usually, everyMs = 10_000 } = options;
  const startedAt = performance.now();
  const seconds = () => `${Math.round((performance.now() - startedAt) / 1000)} s`;
  log(`${what} (usually ${usually}) …`);
  const timer = setInterval(() => log(`${what}: still running after ${seconds()} …`), everyMs);
  try {
    const result = await work();
    log(`${what}: done after ${seconds()}.`);
    return result;
  } finally {
    clearInterval(timer);
  }
}
