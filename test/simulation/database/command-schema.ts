import { Binary } from "mongodb";
import { z } from "zod";
import { isPlainObject } from "../../harness/database-commands/shape.ts";
import type { Doc } from "./bson-value.ts";

/** What the driver adds to commands, as far as the server uses it. */
export const envelope = z.object({
  $db: z.string(),
  lsid: z.object({ id: z.instanceof(Binary) }).optional(),
  txnNumber: z.bigint().optional(),
  autocommit: z.literal(false).optional(),
  startTransaction: z.literal(true).optional(),
  maxTimeMS: z.number().optional(),
  writeConcern: z.object({ w: z.union([z.literal("majority"), z.number()]).default("majority") }).optional(),
});

/** See {@link envelope}. */
export type Envelope = z.output<typeof envelope>;

// The server itself uses the envelope. The others have no effect: there is one member, which logs no commands and has
// no query plans and no validation; transactions always read a snapshot.
const options: readonly string[] = [
  ...envelope.keyof().options,
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
