import { databaseKinds } from "../../deploy/local/servers/database-plan.ts";
import { findDatabase } from "../../deploy/local/servers/database-program.ts";
import { messageOf, SetupError } from "../../deploy/local/servers/setup-error.ts";
import { localServer } from "../harness/own-database.ts";

/**
 * Returns the kinds of server, and why a kind cannot run on this machine. Installs those that take seconds to install.
 */
export function databaseServers(): Promise<{ readonly kind: string; readonly missing: string | undefined }[]> {
  const log = () => undefined;
  return Promise.all(
    databaseKinds.map(async (kind) => {
      try {
        await findDatabase({ env: localServer(kind), log, signal: undefined }, { buildFast: false });
        return { kind, missing: undefined };
      } catch (error) {
        if (error instanceof SetupError) return { kind, missing: messageOf(error) };
        throw error;
      }
    }),
  );
}
