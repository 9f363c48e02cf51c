import {
  type DatabaseKind,
  type DatabaseStep,
  databaseKinds,
  databaseKindVariable,
  planDatabase,
} from "./database-plan.ts";
import { downloadMemoryServerBinary, findMemoryServerBinary } from "./memory-server-binary.ts";
import { findMongod } from "./mongod.ts";
import type { Program } from "./program.ts";
import { buildSecantusRust, findSecantusRust } from "./secantus-rust.ts";
import { findSecantusWheel, installSecantusWheel } from "./secantus-wheel.ts";
import { type SetupContext, setting } from "./setup-context.ts";
import { SetupError } from "./setup-error.ts";

/** What to do when no database server works, a clause. */
export const databaseWayOut = "set MONGODB_URI to a MongoDB replica set, or install mongod 7 or newer";

const find = {
  mongod: findMongod,
  "memory-server": findMemoryServerBinary,
  "secantusd-rs": findSecantusRust,
  "secantusd-py": findSecantusWheel,
};

const get = {
  mongod: async () => {
    throw new SetupError("mongod is installed by you alone.");
  },
  "memory-server": downloadMemoryServerBinary,
  "secantusd-rs": buildSecantusRust,
  "secantusd-py": installSecantusWheel,
};

type Found = Map<DatabaseKind, Program<DatabaseKind>>;

async function findAll(context: SetupContext): Promise<Found> {
  const found: Found = new Map();
  const programs = await Promise.all(databaseKinds.map((kind) => find[kind](context)));
  for (const program of programs) if (program !== undefined) found.set(program.kind, program);
  return found;
}

async function take(
  steps: DatabaseStep[],
  found: Found,
  context: SetupContext,
): Promise<Program<DatabaseKind>> {
  const failures: string[] = [];
  for (const step of steps) {
    if (step.step === "connect") continue;
    try {
      return found.get(step.kind) ?? (await get[step.kind](context));
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      context.log(error.message);
      failures.push(`\n  ${error.message}`);
    }
  }
  const forced = setting(context.env, databaseKindVariable);
  const what = forced === undefined ? "A database server" : `${databaseKindVariable}=${forced}`;
  const remedy =
    forced === undefined ? databaseWayOut : `unset ${databaseKindVariable}, or ${databaseWayOut}`;
  throw new SetupError(`${what} could not be had; ${remedy}. What was tried:${failures.join("")}`);
}

/**
 * The database to use: the server of MONGODB_URI, or a program that is here or has been fetched now, in the order of
 * database-plan.ts. SetupError when none is to be had or the settings cannot be followed.
 */
export async function findDatabase(
  context: SetupContext,
  options: { readonly buildFast: boolean },
): Promise<{ readonly uri: string } | Program<DatabaseKind>> {
  const uri = setting(context.env, "MONGODB_URI");
  const forced = setting(context.env, databaseKindVariable);
  const found: Found = uri === undefined ? await findAll(context) : new Map();
  const steps = planDatabase({ uri, forced, present: new Set(found.keys()), buildFast: options.buildFast });
  if (uri !== undefined) return { uri };
  return take(steps, found, context);
}
