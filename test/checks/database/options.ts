import type { z } from "zod";
import { flag, integer, seed, stackOptions, text } from "../../../deploy/local/stack/command-line.ts";

/** Schemas of the options of the database check. */
export const databaseOptions = {
  uri: text("uri", "MongoDB connection string to check, with a user that may create databases").optional(),
  database: text("database", "empty database to use, and to drop at the end; default: a new one").optional(),
  documents: integer(1_000, 10_000_000, "certificates to create for the checks of query plans").default(100_000),
  stepDown: flag("makes the primary step down once; expect refused writes for some seconds"),
  seed,
  ...stackOptions,
};

/** Options of the database check. */
export type DatabaseOptions = z.output<z.ZodObject<typeof databaseOptions>>;
