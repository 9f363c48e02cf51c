import { Binary } from "mongodb";
import { z } from "zod";
import { isPlainObject } from "../../harness/database-commands/shape.ts";
import type { Doc } from "./bson-value.ts";

/** What the driver adds to commands, as far as the server uses it. */
export interface Envelope {
  readonly database: string;
  readonly sessionId: Binary | undefined;
  readonly txnNumber: bigint | undefined;
  readonly isInTransaction: boolean;
  readonly startsTransaction: boolean;
  /** Whether the reply to a write waits until a majority has the write. */
  readonly waitsForMajority: boolean;
}

/** Reads what the driver adds to a command. By hand, because each command has it: a schema takes longer. */
export function envelopeOf(command: Doc): Envelope {
  const { $db, lsid, txnNumber, autocommit, startTransaction, maxTimeMS, writeConcern } = command;
  const sessionId = isPlainObject(lsid) ? lsid.id : undefined;
  const w = isPlainObject(writeConcern) ? (writeConcern.w ?? "majority") : "majority";
  if (
    typeof $db !== "string" ||
    (lsid !== undefined && !(sessionId instanceof Binary)) ||
    (txnNumber !== undefined && typeof txnNumber !== "bigint") ||
    (autocommit !== undefined && autocommit !== false) ||
    (startTransaction !== undefined && startTransaction !== true) ||
    (maxTimeMS !== undefined && typeof maxTimeMS !== "number") ||
    (writeConcern !== undefined && !isPlainObject(writeConcern)) ||
    (w !== "majority" && typeof w !== "number")
  )
    throw new Error("the simulated server does not understand what the driver adds to a command");
  return {
    database: $db,
    sessionId: sessionId instanceof Binary ? sessionId : undefined,
    txnNumber,
    isInTransaction: autocommit === false,
    startsTransaction: startTransaction === true,
    waitsForMajority: w === "majority",
  };
}

// The server itself uses the first ones. The others have no effect: there is one member, which logs no commands and has
// no query plans and no validation; transactions always read a snapshot.
const options: readonly string[] = [
  ...["$db", "lsid", "txnNumber", "autocommit", "startTransaction", "maxTimeMS", "writeConcern"],
  ...["$readPreference", "$clusterTime", "readConcern", "bypassDocumentValidation", "comment", "hint"],
];

/** Returns the schema of a command. An option that is not in it is an error, which names the option. */
export function commandSchema<Shape extends z.ZodRawShape>(shape: Shape) {
  const schema = z.object(shape);
  const known: ReadonlySet<string> = new Set([...options, ...Object.keys(shape)]);
  return {
    parse(command: Doc): z.output<typeof schema> {
      const unknown = Object.keys(command).find((name) => !known.has(name));
      if (unknown !== undefined) throw new Error(`the simulated server lacks the option ${unknown}`);
      return schema.parse(command);
    },
  };
}

/** The read concern of a command that reads. */
export const readConcern = z.object({ level: z.string().optional() }).default({});

/** A document. Unlike a record of zod, it is not copied. */
export const doc = z.custom<Doc>(isPlainObject);
