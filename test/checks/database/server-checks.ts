import { serverChecks as checks } from "../../../services/registry/mongo/opening/server-checks.ts";
import type { DatabaseCheck } from "./database-check.ts";

/** The checks of the database server, which `certctl doctor` also runs. */
export const serverChecks: readonly DatabaseCheck[] = checks.map(({ name, remedy, run }) => ({
  name,
  remedy,
  run: ({ client }) => run(client),
}));
