import { appendFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { lastLinesOf } from "../../../deploy/local/servers/run-command.ts";
import { type ServiceSpec, startService } from "../../../deploy/local/stack/service-process.ts";
import { createTemporaryFolder } from "../files/temporary-folder.ts";
import { requireCleanLogs } from "../log-scan/require-clean-logs.ts";
import { type LaunchedProcess, SupervisedProcess } from "./supervised-process.ts";

/** Receives progress messages for the user, one line each, without a line break. */
export type Log = (line: string) => void;

/** Options of {@link Supervisor.open}. */
export interface SupervisorOptions {
  /** Prefix of the folder's name. */
  readonly name: string;
  /** Keeps the folder with data and logs after {@link Supervisor.close}. Default false. */
  readonly keep?: boolean;
  /** Restarts processes that exit by themselves, as an orchestrator does. Default false. */
  readonly restart?: boolean;
  /** Aborts starts and restarts. Default: only {@link Supervisor.close} aborts them. */
  readonly signal?: AbortSignal;
  /** Default: no output. */
  readonly log?: Log;
}

interface ProcessOptions {
  readonly name: string;
  /** Starts the process, each time with the same port and data; resolves when it is ready. */
  readonly launch: () => Promise<LaunchedProcess>;
  /** Whether the process sends SIGKILL to itself as part of the test; such an exit is expected. Default false. */
  readonly killsItself?: boolean;
}

/** Runs the processes of a test, check or benchmark, with their data and logs in one temporary folder. */
export class Supervisor {
  /** Absolute path of the folder. */
  readonly folder: string;
  readonly log: Log;
  /** One line for every exit that the test did not cause and `killsItself` does not permit, in order. */
  readonly unexpectedExits: string[] = [];
  /** Aborts when {@link SupervisorOptions.signal} aborts or the supervisor is closed. */
  readonly signal: AbortSignal;
  readonly #options: SupervisorOptions;
  readonly #closing = new AbortController();
  readonly #cleanups = new AsyncDisposableStack();

  private constructor(folder: string, options: SupervisorOptions) {
    this.folder = folder;
    this.#options = options;
    this.log = options.log ?? (() => undefined);
    this.signal = AbortSignal.any([this.#closing.signal, ...(options.signal ? [options.signal] : [])]);
  }

  /** Creates the folder; starts no process yet. */
  static async open(options: SupervisorOptions): Promise<Supervisor> {
    const folder = await createTemporaryFolder(options.name);
    const supervisor = new Supervisor(folder.path, options);
    supervisor.onClose(async () => {
      try {
        await requireCleanLogs(folder.path);
      } finally {
        await (options.keep ? supervisor.log(`data and logs: ${folder.path}`) : folder.remove());
      }
    });
    return supervisor;
  }

  /** Returns the path of a file in the folder. */
  path(name: string): string {
    return `${this.folder}/${name}`;
  }

  /** Returns the last lines of each log file, for the report of a run that ended early. */
  async recentLines(): Promise<readonly string[]> {
    const names = (await readdir(this.folder)).filter((name) => name.endsWith(".log")).sort();
    const tails = names.map(async (name) => `${name}:${lastLinesOf(await readFile(this.path(name), "utf8"))}`);
    return Promise.all(tails);
  }

  /** Starts a process and supervises it until {@link close}. @throws the error of its launch */
  async start({ name, launch, killsItself = false }: ProcessOptions): Promise<SupervisedProcess> {
    const logFile = this.path("supervisor.log");
    const record = (line: string) => appendFileSync(logFile, `${new Date().toISOString()} ${line}\n`);
    const reportExit = (line: string) => {
      this.unexpectedExits.push(line);
      this.log(line);
    };
    const { restart = false } = this.#options;
    const setup = { name, launch, killsItself, restart, reportExit, record, signal: this.signal };
    const process = await SupervisedProcess.start(setup);
    this.onClose(() => process.close());
    return process;
  }

  /**
   * Starts a program of this project, and appends its output to the log file `<name>.log`.
   *
   * @param specOf called at each start and restart
   * @throws SetupError when the program does not become ready
   */
  startService(
    name: string,
    specOf: () => ServiceSpec,
    options: Pick<ProcessOptions, "killsItself"> = {},
  ): Promise<SupervisedProcess> {
    const launch = () => startService({ ...specOf(), name }, this.path(`${name}.log`), this.signal);
    return this.start({ name, launch, ...options });
  }

  /** Registers a cleanup. {@link close} runs all cleanups in reverse order, even if one fails. */
  onClose(cleanup: () => Promise<unknown>): void {
    this.#cleanups.defer(async () => void (await cleanup()));
  }

  /**
   * Ends every process, runs the registered cleanups, and removes the folder unless `keep` is set.
   *
   * @throws Error if a cleanup fails or a log contains a key, secret, cursor or e-mail address
   */
  async close(): Promise<void> {
    this.#closing.abort(new Error("the supervisor is closed"));
    await this.#cleanups.disposeAsync();
  }
}
