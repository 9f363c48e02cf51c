import { SetupError } from "./setup-error.ts";

/** The database servers that can be started on this machine, fastest first. The last two are stand-ins for MongoDB. */
export const databaseKinds = ["mongod", "memory-server", "secantusd-rs", "secantusd-py"] as const;

/** A database server that can be started on this machine. */
export type DatabaseKind = (typeof databaseKinds)[number];

/** The environment variable that forces one {@link DatabaseKind}. */
export const databaseKindVariable = "REGISTRY_DATABASE_SERVER";

/** The input of {@link planDatabase}. */
export interface DatabaseSituation {
  /** MONGODB_URI: a server that is already running. */
  readonly uri: string | undefined;
  readonly forced: string | undefined;
  readonly installed: ReadonlySet<DatabaseKind>;
  /** Whether an installation of a fast server that takes minutes is allowed. */
  readonly buildFast: boolean;
}

/** One attempt: connect to a running server, use an installed program, or install one. */
export type DatabaseStep =
  | { readonly step: "connect"; readonly uri: string }
  | { readonly step: "use" | "install"; readonly kind: DatabaseKind };

const notInstalled: Record<DatabaseKind, string> = {
  mongod: "no mongod 7 or newer is on the PATH: install one",
  "memory-server": "it is not installed",
  "secantusd-rs": "it is not built yet: run `node deploy/local/servers/fetch.ts --fast` (3 to 10 minutes, once)",
  "secantusd-py": "it is not installed",
};

function isDatabaseKind(value: string): value is DatabaseKind {
  return databaseKinds.some((kind) => kind === value);
}

function planForced(kind: string, { uri, installed, buildFast }: DatabaseSituation): DatabaseStep[] {
  if (!isDatabaseKind(kind)) {
    throw new SetupError(`${databaseKindVariable} is "${kind}"; set it to ${databaseKinds.join(", ")}, or unset it.`);
  }
  if (uri !== undefined) {
    throw new SetupError(`MONGODB_URI and ${databaseKindVariable}=${kind} contradict each other: unset one of them.`);
  }
  if (installed.has(kind)) return [{ step: "use", kind }];
  const isInstallable = kind === "secantusd-rs" ? buildFast : kind !== "mongod";
  if (isInstallable) return [{ step: "install", kind }];
  throw new SetupError(`${databaseKindVariable}=${kind}, but ${notInstalled[kind]}, or unset ${databaseKindVariable}.`);
}

/**
 * Returns the attempts to make, in order, until one succeeds. The server at MONGODB_URI, or the fastest installed
 * server, is the only attempt; without either, the attempts are installations, fastest server first. With `buildFast`,
 * an installed slow stand-in is used only when the installation of a faster server fails.
 *
 * @throws SetupError when the settings contradict each other or name an unknown or unavailable server
 */
export function planDatabase(situation: DatabaseSituation): DatabaseStep[] {
  const { uri, forced, installed, buildFast } = situation;
  if (forced !== undefined) return planForced(forced, situation);
  if (uri !== undefined) return [{ step: "connect", uri }];
  const fastest = databaseKinds.find((kind) => installed.has(kind));
  if (fastest !== undefined && !(buildFast && fastest === "secantusd-py")) return [{ step: "use", kind: fastest }];
  const slow: DatabaseStep = { step: fastest === undefined ? "install" : "use", kind: "secantusd-py" };
  if (!buildFast) return [{ step: "install", kind: "memory-server" }, slow];
  return [{ step: "install", kind: "memory-server" }, { step: "install", kind: "secantusd-rs" }, slow];
}
