import { ConfigError } from "#shared/config/config-error.ts";
import { checkConnectionString } from "../../../services/registry/mongo/opening/connection-string.ts";
import { serverChecks as checks } from "../../../services/registry/mongo/opening/server-checks.ts";
import { type DatabaseCheck, failed, passed } from "./database-check.ts";

/** The checks of the database server, which `certctl doctor` also runs. */
export const serverChecks: readonly DatabaseCheck[] = checks.map(({ name, remedy, run }) => ({
  name,
  remedy,
  run: ({ client }) => run(client),
}));

/** Checks that the connection string does not weaken the registry's settings. */
export const optionChecks: readonly DatabaseCheck[] = [
  {
    name: "writes are acknowledged by a majority and journaled, and reads return majority-committed data",
    remedy: "Correct the connection string.",
    run: async ({ uri, client }) => {
      try {
        checkConnectionString("the connection string", uri);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        return failed(error.message);
      }
      const { writeConcern, readConcern, readPreference } = client.options;
      return passed(`w ${writeConcern?.w}, reads ${readConcern?.level} from the ${readPreference.mode}`);
    },
  },
];
