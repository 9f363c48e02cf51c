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

const ignored = z.unknown().optional();

const commandBase = envelope.extend({
  readConcern: z.object({ level: z.string().optional() }).default({}),
  // These have no effect: there is one member, which logs no commands, and has no query plans and no validation.
  $readPreference: ignored,
  $clusterTime: ignored,
  bypassDocumentValidation: ignored,
  comment: ignored,
  hint: ignored,
});

/** Returns the schema of a command. An option that is not in it is an error, which names the option. */
export function commandSchema<Shape extends z.ZodRawShape>(shape: Shape) {
  return commandBase.extend(shape).strict();
}

/** A document. Unlike a record of zod, it is not copied. */
export const doc = z.custom<Doc>(isPlainObject);
