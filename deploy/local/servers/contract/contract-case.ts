import { isDeepStrictEqual } from "node:util";
import { BSON, type BSONSerializeOptions, type Document, Long, MongoClient, type RunCommandOptions } from "mongodb";
import { type Check, failed, passed } from "../../../../services/registry/diagnostics/check.ts";
import type { Collections } from "../../../../services/registry/mongo/documents/collections.ts";

/** A scratch database on the server whose behavior is examined. */
export interface ContractRig {
  /** Connection string with the database's name. */
  readonly uri: string;
  readonly client: MongoClient;
  readonly collections: Collections;
}

/** A behavior of MongoDB that the registry relies on. */
export type ContractCase = Check<ContractRig>;

/**
 * Sends a write twice with one transaction number, as the driver does when a reply is lost.
 *
 * @returns both replies
 */
export async function sendTwice(
  { uri }: ContractRig,
  command: Document,
  options: RunCommandOptions & BSONSerializeOptions = {},
) {
  // A client of its own: sessions that other commands have used have later transaction numbers.
  await using client = new MongoClient(uri);
  await using session = client.startSession();
  const send = () => client.db().command({ ...command, txnNumber: Long.fromNumber(1) }, { ...options, session });
  return [await send(), await send()];
}

/** Reads numbers with their BSON types, which the driver otherwise converts to JavaScript numbers. */
export const withTypes = { promoteValues: false } as const;

/**
 * Returns a case that passes if the result has exactly the value and the BSON types that MongoDB returns.
 *
 * @param name names the expression or the command
 * @param expected MongoDB's result; a number stands for a 32-bit integer
 */
export function contractCase(
  name: string,
  run: (rig: ContractRig) => Promise<unknown>,
  expected: unknown,
): ContractCase {
  return {
    name,
    remedy:
      "Use MongoDB, or a stand-in of the version that this program installs: this server does not behave like MongoDB.",
    run: async (rig) => {
      const seen = plain(await run(rig));
      const wanted = plain(expected);
      return isDeepStrictEqual(seen, wanted)
        ? passed("as in MongoDB")
        : failed(`${JSON.stringify(seen)} instead of ${JSON.stringify(wanted)}`);
    },
  };
}

/** Returns a value as Extended JSON, in which each BSON type looks different. */
function plain(value: unknown): unknown {
  return BSON.EJSON.serialize({ value }, { relaxed: false }).value;
}
