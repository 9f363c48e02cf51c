import { appendFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type ServiceSpec, startService } from "../../../deploy/local/stack/service-process.ts";
import type { Say } from "./conduct.ts";
import { Part, type PartSetup } from "./part.ts";

/** What {@link CheckProcesses} are opened with. */
export interface ProcessesSetup {
  /** Begins the name of the folder. */
  readonly name: string;
  /** The folder stays when the check is over. */
  readonly keep: boolean;
  /** Ends everything early. */
  readonly over: AbortSignal;
  readonly say: Say;
}

/** The processes of a check, with their data and logs in one folder. */
export class CheckProcesses {
  readonly folder: string;
  readonly say: Say;
  /** Aborts when the check is over or closed. */
  readonly signal: AbortSignal;
  readonly #closing = new AbortController();
  readonly #undo: (() => Promise<unknown>)[] = [];

  private constructor(folder: string, { keep, over, say }: ProcessesSetup) {
    this.folder = folder;
    this.say = say;
    this.signal = AbortSignal.any([over, this.#closing.signal]);
    this.onClose(async () =>
      keep ? say(`data and logs: ${folder}`) : rm(folder, { recursive: true, force: true }),
    );
  }

  /** Makes the folder; nothing runs yet. */
  static async open(setup: ProcessesSetup): Promise<CheckProcesses> {
    return new CheckProcesses(await mkdtemp(path.join(tmpdir(), `${setup.name}-`)), setup);
  }

  /** The path of a file or folder in the folder. */
  path(name: string): string {
    return path.join(this.folder, name);
  }

  /** Starts a part. @throws what its launch throws */
  async start(setup: Pick<PartSetup, "name" | "launch" | "killsItself">): Promise<Part> {
    const note = (line: string) =>
      appendFileSync(this.path("check.log"), `${new Date().toISOString()} ${line}\n`);
    const part = await Part.start({ ...setup, say: this.say, note, signal: this.signal });
    this.onClose(() => part.close());
    return part;
  }

  /** Starts one of our programs; its output goes to a file with its name. @throws SetupError when it does not start */
  startService(spec: ServiceSpec): Promise<Part> {
    return this.start({ name: spec.name, launch: () => this.launch(spec) });
  }

  /** Starts a process of one of our programs. @throws SetupError when it does not start */
  launch(spec: ServiceSpec): ReturnType<typeof startService> {
    return startService(spec, this.path(`${spec.name}.log`), this.signal);
  }

  /** Adds a step to what closing does; the last one comes first. */
  onClose(step: () => Promise<unknown>): void {
    this.#undo.push(step);
  }

  /** Ends every process and removes what they stored. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const step of this.#undo.toReversed()) await step();
  }
}
