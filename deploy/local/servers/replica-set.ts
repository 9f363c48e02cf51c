import { type Db, MongoServerError } from "mongodb";

/** Name of the one-member replica set of a local mongod. */
export const replicaSetName = "registry";

const notYetInitialized = 94;

interface ReplicaSetConfig {
  version: number;
  members: { host: string }[];
}

async function readConfig(admin: Db): Promise<ReplicaSetConfig | undefined> {
  try {
    const { config } = await admin.command({ replSetGetConfig: 1 });
    return config as ReplicaSetConfig;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === notYetInitialized) return undefined;
    throw error;
  }
}

/**
 * Makes the mongod behind `admin` the only member of its replica set, under `host` (such as `127.0.0.1:27017`).
 * Initiates a new replica set, or changes the port in a stored configuration. The server becomes primary some time
 * later.
 */
export async function ensureReplicaSet(admin: Db, host: string): Promise<void> {
  const config = await readConfig(admin);
  if (config === undefined) {
    await admin.command({ replSetInitiate: { _id: replicaSetName, members: [{ _id: 0, host }] } });
  } else if (config.members[0]?.host !== host) {
    const members = config.members.slice(0, 1).map((member) => ({ ...member, host }));
    // Forced, because after a change of port the stored configuration does not contain the server's address.
    await admin.command({
      replSetReconfig: { ...config, version: config.version + 1, members },
      force: true,
    });
  }
}
