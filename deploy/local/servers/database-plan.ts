import { SetupError } from "./setup-error.ts";

/** The database servers that can be started here, the fastest first. */
export const databaseKinds = ["mongod", "memory-server", "secantusd-rs", "secantusd-py"] as const;

/** One of the database servers that can be started here. */
export type DatabaseKind = (typeof databaseKinds)[number];

/** Environment variable that forces one kind. */
export const databaseKindVariable = "REGISTRY_DATABASE_SERVER";

/** Everything the choice of a database server depends on. */
export interface DatabaseSituation {
  /** MONGODB_URI, a server that somebody else runs. */
  readonly uri: string | undefined;
  /** REGISTRY_DATABASE_SERVER. */
  readonly forced: string | undefined;
  /** What is on this machine already. */
  readonly present: ReadonlySet<DatabaseKind>;
  /** Whether minutes may be spent to get a fast server. */
  readonly buildFast: boolean;
}

/** One attempt: connect to a server, use a program that is there, or get one. */
export type DatabaseStep =
  | { readonly step: "connect"; readonly uri: string }
  | { readonly step: "use" | "get"; readonly kind: DatabaseKind };

const missing: Record<DatabaseKind, string> = {
  mongod: "no mongod 7 or newer is on the PATH: install one",
  "memory-server": "it is not there",
  "secantusd-rs":
    "it is not built yet: run `node deploy/local/servers/fetch.ts --fast` (3 to 10 minutes, once)",
  "secantusd-py": "it is not there",
};

function isDatabaseKind(value: string): value is DatabaseKind {
  return databaseKinds.some((kind) => kind === value);
}

function planForced(kind: string, situation: DatabaseSituation): DatabaseStep[] {
  if (!isDatabaseKind(kind)) {
    throw new SetupError(
      `${databaseKindVariable} is "${kind}"; it can be ${databaseKinds.join(", ")} or unset.`,
    );
  }
  if (situation.uri !== undefined) {
    throw new SetupError(
      `MONGODB_URI and ${databaseKindVariable}=${kind} contradict each other: unset one of them.`,
    );
  }
  if (situation.present.has(kind)) return [{ step: "use", kind }];
  const gettable = kind === "secantusd-rs" ? situation.buildFast : kind !== "mongod";
  if (gettable) return [{ step: "get", kind }];
  throw new SetupError(
    `${databaseKindVariable}=${kind}, but ${missing[kind]}, or unset ${databaseKindVariable}.`,
  );
}

/**
 * What to try, in order, until one attempt works: the server of MONGODB_URI; the fastest that is there; else the quickest to get.
 * With `buildFast` a fast one is got even where a slow one is there. SetupError when the settings cannot be followed.
 */
export function planDatabase(situation: DatabaseSituation): DatabaseStep[] {
  const { uri, forced, present, buildFast } = situation;
  if (forced !== undefined) return planForced(forced, situation);
  if (uri !== undefined) return [{ step: "connect", uri }];
  const fastest = databaseKinds.find((kind) => present.has(kind));
  if (fastest !== undefined && !(buildFast && fastest === "secantusd-py"))
    return [{ step: "use", kind: fastest }];
  const slow: DatabaseStep = { step: fastest === undefined ? "get" : "use", kind: "secantusd-py" };
  if (!buildFast) return [{ step: "get", kind: "memory-server" }, slow];
  return [{ step: "get", kind: "memory-server" }, { step: "get", kind: "secantusd-rs" }, slow];
}
