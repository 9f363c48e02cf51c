import { SetupError } from "./setup-error.ts";

/** The database servers that can be started on this machine, fastest first. The last two are stand-ins for MongoDB. */
export const databaseKinds = ["mongod", "memory-server", "secantusd-rs", "secantusd-py"] as const;

/** A database server that can be started on this machine. */
export type DatabaseKind = (typeof databaseKinds)[number];

/** Possible owners of a data folder: a server started on this machine, or the external server at MONGODB_URI. */
export const ownerKinds = [...databaseKinds, "MONGODB_URI"] as const;

/** One of {@link ownerKinds}. */
export type OwnerKind = (typeof ownerKinds)[number];

/** Clause for error messages: the remedy if the data belongs to a server that cannot or should not be used. */
export const otherDataRemedy = "use another data folder, or delete the data (npm start -- --reset)";

/** The environment variable that forces one {@link DatabaseKind}. */
export const databaseKindVariable = "REGISTRY_DATABASE_SERVER";

/** Existing data and the server that owns it. */
export interface OwnedData {
  readonly kind: OwnerKind;
  /** Path of the data folder, for error messages. */
  readonly folder: string;
}

/** The input of {@link planDatabase}. */
export interface DatabaseSituation {
  /** Value of MONGODB_URI: the address of a server that is already running. */
  readonly uri: string | undefined;
  readonly forced: string | undefined;
  /** Undefined if the data folder does not belong to a server yet. */
  readonly owner: OwnedData | undefined;
  readonly installed: ReadonlySet<DatabaseKind>;
  /** Whether a fast server may be installed even if the installation takes minutes. */
  readonly buildFast: boolean;
}

/** One attempt: connect to a running server, use an installed program, or install one. */
type DatabaseStep =
  | { readonly step: "connect"; readonly uri: string }
  | { readonly step: "use" | "install"; readonly kind: DatabaseKind };

const notInstalled: Record<DatabaseKind, string> = {
  mongod: "no mongod 7 or newer is on the PATH: install one",
  "memory-server": "memory-server is not installed",
  "secantusd-rs":
    "secantusd-rs is not built yet: run `node deploy/local/servers/fetch.ts --fast` (once, 3 to 10 minutes)",
  "secantusd-py": "secantusd-py is not installed",
};

function isDatabaseKind(value: string): value is DatabaseKind {
  return databaseKinds.some((kind) => kind === value);
}

function checkForced(kind: string, uri: string | undefined): DatabaseKind {
  if (!isDatabaseKind(kind)) {
    throw new SetupError(
      `${databaseKindVariable} is "${kind}"; set it to one of ${databaseKinds.join(", ")}, or unset it.`,
    );
  }
  if (uri !== undefined) {
    throw new SetupError(`MONGODB_URI and ${databaseKindVariable}=${kind} contradict each other: unset one of them.`);
  }
  return kind;
}

/**
 * Returns a plan with exactly one step: use or install a server of this kind.
 *
 * @param reason starts the error message for an unavailable kind
 * @param remedy ends the message
 * @throws SetupError if the kind is neither installed nor installable
 */
function planOnly(
  kind: DatabaseKind,
  { installed, buildFast }: DatabaseSituation,
  reason: string,
  remedy: string,
): DatabaseStep[] {
  if (installed.has(kind)) return [{ step: "use", kind }];
  const isInstallable = kind === "secantusd-rs" ? buildFast : kind !== "mongod";
  if (isInstallable) return [{ step: "install", kind }];
  throw new SetupError(`${reason}, but ${notInstalled[kind]}, or ${remedy}.`);
}

/**
 * Returns a plan for the server that owns the data.
 *
 * @throws SetupError if this server is unavailable or the settings select another
 */
function planOwner({ kind, folder }: OwnedData, situation: DatabaseSituation): DatabaseStep[] {
  const { uri, forced } = situation;
  const data = `The data in ${folder} belongs to ${kind === "MONGODB_URI" ? "the server at MONGODB_URI" : kind}`;
  if (kind === "MONGODB_URI") {
    if (uri !== undefined) return [{ step: "connect", uri }];
    throw new SetupError(`${data}: set MONGODB_URI, ${otherDataRemedy}.`);
  }
  const conflict = uri !== undefined ? "MONGODB_URI" : (forced ?? kind) !== kind ? databaseKindVariable : undefined;
  if (conflict === undefined) return planOnly(kind, situation, data, otherDataRemedy);
  throw new SetupError(`${data}, and other servers cannot read it: unset ${conflict}, ${otherDataRemedy}.`);
}

/**
 * Returns the attempts to make, in order, until one succeeds. The first rule that applies decides:
 * 1. A server owns the data: only this server, installed first if necessary.
 * 2. A server is forced: only this server, installed first if necessary.
 * 3. MONGODB_URI is set: only the server at this address.
 * 4. A server is installed: the fastest installed server. With `buildFast`, this rule ignores secantusd-py.
 * 5. Otherwise: install memory-server, then secantusd-rs (only with `buildFast`, because it takes minutes), then use or
 *    install secantusd-py.
 *
 * @throws SetupError when the settings contradict each other or the data, or name an unknown or unavailable server
 */
export function planDatabase(situation: DatabaseSituation): DatabaseStep[] {
  const { uri, owner, installed, buildFast } = situation;
  const forced = situation.forced === undefined ? undefined : checkForced(situation.forced, uri);
  if (owner !== undefined) return planOwner(owner, situation);
  if (forced !== undefined) {
    return planOnly(forced, situation, `${databaseKindVariable}=${forced}`, `unset ${databaseKindVariable}`);
  }
  if (uri !== undefined) return [{ step: "connect", uri }];
  const fastest = databaseKinds.find((kind) => installed.has(kind));
  if (fastest !== undefined && !(buildFast && fastest === "secantusd-py")) return [{ step: "use", kind: fastest }];
  const slow: DatabaseStep = { step: fastest === undefined ? "install" : "use", kind: "secantusd-py" };
  if (!buildFast) return [{ step: "install", kind: "memory-server" }, slow];
  return [{ step: "install", kind: "memory-server" }, { step: "install", kind: "secantusd-rs" }, slow];
}
