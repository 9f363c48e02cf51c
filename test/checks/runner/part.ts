import { systemClock } from "#shared/time/clock.ts";
import type { ServerExit } from "../../../deploy/local/servers/running-server.ts";
import { messageOf } from "../../../deploy/local/servers/setup-error.ts";

/** A process that can be killed. */
export interface PartProcess {
  /** Null when it was not started here. */
  readonly pid: number | null;
  readonly exited: Promise<ServerExit>;
  /** SIGKILL. */
  kill(): void;
}

/** What a {@link Part} is made of. */
export interface PartSetup {
  readonly name: string;
  /** Starts the process, on the same port and data each time; resolves when it is ready. */
  readonly launch: () => Promise<PartProcess>;
  /** It ends itself with SIGKILL, as the check wants it to: that is no news. Default: it does not. */
  readonly killsItself?: boolean;
  /** For people. */
  readonly say: (line: string) => void;
  /** For the log of the run. */
  readonly note: (line: string) => void;
  /** Ends the attempts to start it again. */
  readonly signal: AbortSignal;
}

const startWithinMs = 120_000;
const startPauseMs = 250;

/** One process of the system under test. One that ends by itself is started again, as its platform would do. */
export class Part {
  readonly name: string;
  readonly #setup: PartSetup;
  #process: PartProcess | undefined;
  #starting: Promise<void>;
  #isClosed = false;

  private constructor(setup: PartSetup, first: PartProcess) {
    this.name = setup.name;
    this.#setup = setup;
    this.#starting = Promise.resolve();
    this.#take(first);
  }

  /** Starts the process for the first time. @throws what its launch throws */
  static async start(setup: PartSetup): Promise<Part> {
    return new Part(setup, await setup.launch());
  }

  /** Its process id; null while it is away. */
  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  /** SIGKILL, as soon as it is up; resolves when the process is gone. It is started again after `downMs`. */
  async kill(downMs: number): Promise<void> {
    await this.whenUp();
    const process = this.#process;
    this.#process = undefined;
    process?.kill();
    await process?.exited;
    this.#setup.note(`${this.name} killed`);
    this.#restart(downMs);
  }

  /** Resolves when it is up. @throws Error when it did not start again within two minutes */
  whenUp(): Promise<void> {
    return this.#starting;
  }

  /** Ends it for good. Its data are thrown away, so there is nothing to be tidied up. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#starting.catch(() => undefined);
    this.#process?.kill();
    await this.#process?.exited;
  }

  #take(process: PartProcess): void {
    this.#process = process;
    void process.exited.then(({ signal }) => {
      if (this.#process !== process || this.#isClosed) return;
      const { killsItself = false, say, note } = this.#setup;
      const tell = killsItself && signal === "SIGKILL" ? note : say;
      tell(`${this.name} ended by itself; it is started again.`);
      this.#process = undefined;
      this.#restart(0);
    });
  }

  #restart(downMs: number): void {
    this.#starting = this.#startAgain(downMs);
    // Told to whoever waits for it; until then it must not count as unhandled.
    this.#starting.catch(() => undefined);
  }

  async #startAgain(downMs: number): Promise<void> {
    const { name, launch, note, signal } = this.#setup;
    await systemClock.sleep(downMs, signal);
    const deadline = systemClock.now() + startWithinMs;
    for (;;) {
      signal.throwIfAborted();
      try {
        this.#take(await launch());
        note(`${name} is up`);
        return;
      } catch (error) {
        // What it needs may have been killed while it started.
        const reason = messageOf(error);
        note(`${name} does not start: ${reason}`);
        if (systemClock.now() >= deadline) throw new Error(`${name} does not start again: ${reason}`);
        await systemClock.sleep(startPauseMs, signal);
      }
    }
  }
}
