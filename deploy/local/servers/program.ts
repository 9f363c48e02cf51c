import type { SetupContext } from "./setup-context.ts";

/** The port and folder of one server process. */
export interface Place {
  readonly port: number;
  /** An existing folder. */
  readonly dataDir: string;
}

/** A command to spawn. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment that the command inherits; an undefined value removes a variable. */
  readonly env?: NodeJS.ProcessEnv;
}

/** A server program that is installed on this machine. */
export interface Program<Kind extends string = string> {
  readonly kind: Kind;
  /** The executable or its folder, for messages. */
  readonly path: string;
  /**
   * Version of a server that may be unable to read data written by another version; undefined for a server that checks
   * this itself, such as mongod.
   */
  readonly version?: string;
  /** Prepares the folder, for example by writing a configuration file, and returns the command. */
  launch(place: Place): Promise<Launch>;
}

/** Finds or installs one kind of server program. */
export interface ProgramSource<Kind extends string = string> {
  find(context: SetupContext): Promise<Program<Kind> | undefined>;
  /** @throws SetupError when the program cannot be installed */
  install(context: SetupContext): Promise<Program<Kind>>;
}
