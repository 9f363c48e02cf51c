import {
  type DatabaseKind,
  databaseKinds,
  databaseKindVariable,
  type OwnedData,
  otherDataRemedy,
  planDatabase,
} from "./database-plan.ts";
import { firstSuccess } from "./first-success.ts";
import { downloadMemoryServerBinary, findMemoryServerBinary } from "./memory-server-binary.ts";
import { findMongod } from "./mongod.ts";
import type { Program, ProgramSource } from "./program.ts";
import { type SetupContext, setting } from "./setup-context.ts";
import { SetupError } from "./setup-error.ts";
import { standInDatabases } from "./stand-in/stand-in-databases.ts";

/** The remedy when no database server is available, as a clause. */
export const databaseRemedy = "set MONGODB_URI to a MongoDB replica set, or install mongod 7 or newer";

const sources: { readonly [Kind in DatabaseKind]: ProgramSource<Kind> } = {
  mongod: {
    find: findMongod,
    install: () => Promise.reject(new SetupError("mongod cannot be installed automatically.")),
  },
  "memory-server": { find: findMemoryServerBinary, install: downloadMemoryServerBinary },
  ...standInDatabases,
};

type Found = Map<DatabaseKind, Program<DatabaseKind>>;

async function findInstalled(kinds: readonly DatabaseKind[], context: SetupContext): Promise<Found> {
  const programs = await Promise.all(kinds.map((kind) => sources[kind].find(context)));
  return new Map(programs.filter((program) => program !== undefined).map((program) => [program.kind, program]));
}

function failureSentence(owner: OwnedData | undefined, forced: string | undefined): string {
  if (owner !== undefined)
    return `The data in ${owner.folder} belongs to ${owner.kind}, which is not available; ${otherDataRemedy}.`;
  if (forced === undefined) return `No database server is available; ${databaseRemedy}.`;
  const setting = `${databaseKindVariable}=${forced}`;
  return `The database server that ${setting} selects is not available; unset ${databaseKindVariable} and, if no other server is available, ${databaseRemedy}.`;
}

/**
 * Returns the database server to use: the one at MONGODB_URI, or a program, which is installed first if necessary.
 * {@link planDatabase} defines the order of the attempts.
 *
 * @param options `buildFast` allows an installation that takes minutes; `owner` is the server that owns existing data
 * @throws SetupError as {@link planDatabase} does, and when every attempt fails
 */
export async function findDatabase(
  context: SetupContext,
  options: { readonly buildFast: boolean; readonly owner?: OwnedData | undefined },
): Promise<{ readonly uri: string } | Program<DatabaseKind>> {
  const uri = setting(context.env, "MONGODB_URI");
  const forced = setting(context.env, databaseKindVariable);
  const { buildFast, owner } = options;
  const candidates = owner === undefined ? databaseKinds : databaseKinds.filter((kind) => kind === owner.kind);
  const found: Found = uri === undefined ? await findInstalled(candidates, context) : new Map();
  const steps = planDatabase({ uri, forced, owner, installed: new Set(found.keys()), buildFast });
  if (uri !== undefined) return { uri };
  const attempts = steps
    .filter((step) => step.step !== "connect")
    .map(
      ({ kind }) =>
        async () =>
          found.get(kind) ?? sources[kind].install(context),
    );
  return firstSuccess<Program<DatabaseKind>>(attempts, context.log, failureSentence(owner, forced));
}
