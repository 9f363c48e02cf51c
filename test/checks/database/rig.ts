import { randomBytes } from "node:crypto";
import type { MongoClient } from "mongodb";
import { systemClock } from "#shared/time/clock.ts";
import { withDatabase } from "../../../deploy/local/servers/with-database.ts";
import { type Collections, collectionsOf } from "../../../services/registry/mongo/documents/collections.ts";
import { connectMongo } from "../../../services/registry/mongo/opening/connect-mongo.ts";
import { probesName } from "../../../services/registry/mongo/opening/require-transactions.ts";
import { MongoStoreDirectory } from "../../../services/registry/mongo/stores/mongo-store-directory.ts";
import { newId } from "../../../services/registry/values/identifiers.ts";
import { settingsFixture } from "../../../services/registry/values/store-settings-fixture.ts";
import { storeHistoryOf, testChange } from "../../harness/store-history-of.ts";
import type { Log } from "../../harness/supervisor/supervisor.ts";
import { missingPrivilege } from "./missing-privilege.ts";
import type { DatabaseOptions } from "./options.ts";

/** A connection to the scratch database, with the registry's settings. */
export interface Connection {
  readonly client: MongoClient;
  readonly collections: Collections;
}

/** Resources that the checks of a run share. */
export interface DatabaseRig extends Connection {
  readonly options: DatabaseOptions;
  /** Connection string with the scratch database's name. */
  readonly uri: string;
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Creates a Pro store. @returns its id */
  createStore(): Promise<string>;
}

/**
 * Connects to an empty scratch database; disposal drops the database.
 *
 * @throws the error of connectMongo; Error that names `--database` if the user may not use the database; Error if the
 * database that the options name contains collections
 */
export async function openRig(
  serverUri: string,
  options: DatabaseOptions,
  signal: AbortSignal,
  log: Log,
): Promise<DatabaseRig & AsyncDisposable> {
  const uri = withDatabase(serverUri, options.database ?? scratchName());
  const client = await connectMongo(uri).catch((error: unknown) => {
    const { privilege, remedy } = missingPrivilege(error);
    throw new Error(`The check cannot use its database: ${privilege}. ${remedy}`, { cause: error });
  });
  const found = (await client.db().listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
  // The check of transactions may have created this collection.
  const [other] = found.filter((name) => name !== probesName);
  if (other !== undefined) {
    await client.close();
    throw new Error(
      `The database ${client.db().databaseName} contains the collection ${other}: name an empty database, because the check drops it at the end.`,
    );
  }
  const main = { client, collections: collectionsOf(client.db()) };
  const directory = new MongoStoreDirectory(main.collections, storeHistoryOf(main), systemClock);
  return {
    options,
    uri,
    signal,
    log,
    ...main,
    createStore: async () => {
      const id = newId("sto");
      const store = { id, shop: `${id.toLowerCase()}.example.test`, plan: "pro", settings: settingsFixture } as const;
      await directory.createStore(store, testChange);
      return id;
    },
    [Symbol.asyncDispose]: async () => {
      await client.db().dropDatabase();
      await client.close();
    },
  };
}

// MongoDB Atlas refuses names of more than 38 bytes.
function scratchName(): string {
  return `certificate_registry_check_${randomBytes(5).toString("hex")}`;
}
