import { z } from "zod";
import { commandLine, flag, integer, seed, stackOptions, text } from "../../harness/program/command-line.ts";

const schema = z.object({
  uri: text("uri", "MongoDB connection string to check, with a user that may create databases").optional(),
  database: text("database", "empty database to use, and to drop at the end; default: a new one").optional(),
  documents: integer(1_000, 10_000_000, "certificates to create for the checks of query plans").default(100_000),
  stepDown: flag("makes the primary step down once; expect refused writes for some seconds"),
  seed,
  ...stackOptions,
});

const notes = `Without --uri, the command starts the database server that npm start uses. It creates the database
certificate_registry_check_<random> and drops it at the end; it does not read or change other databases. If the user has
the roles readWrite and dbAdmin on one database only, name this database with --database before the registry uses it:
the command refuses a database that contains collections. --step-down also needs the action replSetStateChange on the
cluster.

The last line of the output counts all, failed and skipped checks. The command fails if a check fails.`;

/** Options of the database check. */
export type DatabaseOptions = z.output<typeof schema>;

/** Command line of the database check. */
export const databaseCommand = commandLine("npm run check:database", schema, notes);
