/** Where one start of a server keeps its things. */
export interface Place {
  readonly port: number;
  /** Exists. */
  readonly dataDir: string;
}

/** A command ready to be spawned; `env` comes on top of the environment of this process. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** A server program that is on this machine. */
export interface Program<Kind extends string = string> {
  readonly kind: Kind;
  /** The executable or folder, for people. */
  readonly path: string;
  /** Writes the files the server wants beside its data and returns the command. */
  launch(place: Place): Promise<Launch>;
}
