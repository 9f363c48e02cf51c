import { systemClock } from "#shared/time/clock.ts";
import { exitText, type ServerExit } from "../../../deploy/local/servers/running-server.ts";
import { messageOf } from "../../../deploy/local/servers/setup-error.ts";

/** A process that is ready. */
export interface LaunchedProcess {
  /** Process id; null for an external server, which cannot be killed either. */
  readonly pid: number | null;
  readonly exited: Promise<ServerExit>;
  /** Sends SIGKILL. */
  kill(): void;
  /** Sends SIGTERM, and SIGKILL after 60 s; resolves when the process has exited. */
  stop(): Promise<void>;
}

interface Setup {
  readonly name: string;
  readonly launch: () => Promise<LaunchedProcess>;
  readonly killsItself: boolean;
  readonly restart: boolean;
  /** Receives a line for every exit that the test did not cause and `killsItself` does not permit. */
  readonly reportExit: (line: string) => void;
  /** Receives a line for every restart, failed attempt to restart, and kill by the test or by the process itself. */
  readonly record: (line: string) => void;
  readonly signal: AbortSignal;
}

const startWithinMs = 240_000;
const startPauseMs = 250;

/** A process that tests can stop, kill and restart, always with the same port and data. */
export class SupervisedProcess {
  readonly name: string;
  readonly #setup: Setup;
  #process: LaunchedProcess | undefined;
  #starting: Promise<void> = Promise.resolve();
  #isClosed = false;

  private constructor(setup: Setup, first: LaunchedProcess) {
    this.name = setup.name;
    this.#setup = setup;
    this.#watch(first);
  }

  /** Starts the process for the first time. @throws the error of its launch */
  static async start(setup: Setup): Promise<SupervisedProcess> {
    return new SupervisedProcess(setup, await setup.launch());
  }

  /** Process id; null while the process is not running. */
  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  /** Waits for a start in progress, then sends SIGKILL; resolves when the process has exited. */
  async kill(): Promise<void> {
    await this.#end(async (process) => process.kill());
    this.#setup.record(`${this.name} killed`);
  }

  /**
   * Waits for a start in progress, then sends SIGTERM, and SIGKILL after 60 s.
   *
   * @returns how the process exited; undefined when it was not running
   */
  stop(): Promise<ServerExit | undefined> {
    return this.#end((process) => process.stop());
  }

  /**
   * Starts the process after {@link kill} or {@link stop}.
   *
   * @param afterMs delay before the first attempt, in milliseconds
   * @throws Error if no attempt succeeds within four minutes
   */
  start(afterMs = 0): Promise<void> {
    this.#starting = this.#launch(afterMs);
    // `whenUp` and `start` report the error; without this handler, an unhandled rejection would end the test process.
    this.#starting.catch(() => undefined);
    return this.#starting;
  }

  /** Waits for the latest start to finish. @throws Error when the process did not become ready */
  whenUp(): Promise<void> {
    return this.#starting;
  }

  /** Ends the process permanently. Sends SIGKILL, because no process uses its data afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#starting.catch(() => undefined);
    this.#process?.kill();
    await this.#process?.exited;
  }

  async #end(end: (process: LaunchedProcess) => Promise<void>): Promise<ServerExit | undefined> {
    await this.#starting;
    const process = this.#process;
    this.#process = undefined;
    if (process === undefined) return undefined;
    await end(process);
    return process.exited;
  }

  #watch(process: LaunchedProcess): void {
    this.#process = process;
    void process.exited.then((exit) => {
      if (this.#process !== process || this.#isClosed) return;
      const { killsItself, restart, reportExit, record } = this.#setup;
      this.#process = undefined;
      const report = killsItself && exit.signal === "SIGKILL" ? record : reportExit;
      report(`${this.name} exited ${exitText(exit)}${restart ? "; restarting it" : ""}`);
      if (restart) void this.start();
    });
  }

  async #launch(afterMs: number): Promise<void> {
    const { name, launch, record, signal } = this.#setup;
    await systemClock.sleep(afterMs, signal);
    const deadline = systemClock.now() + startWithinMs;
    for (;;) {
      signal.throwIfAborted();
      try {
        this.#watch(await launch());
        record(`${name} is up`);
        return;
      } catch (error) {
        // A test may have killed a server that this process needs in order to start.
        const reason = messageOf(error);
        record(`${name} does not start: ${reason}`);
        if (systemClock.now() >= deadline) throw new Error(`${name} does not restart: ${reason}`);
        await systemClock.sleep(startPauseMs, signal);
      }
    }
  }
}
