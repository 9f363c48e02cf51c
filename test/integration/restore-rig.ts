import type { TestContext } from "vitest";
import { freePort } from "../../deploy/local/servers/free-port.ts";
import { openTestEdge } from "../../services/edge/testing/start-edge.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { startTestRegistry, type TestRegistryOptions } from "../harness/registry-fixture.ts";
import { runBackup } from "../harness/run-backup.ts";
import { openTestDatabase, type TestDatabase } from "../harness/test-database.ts";
import { startTestNats } from "../harness/test-nats.ts";

/** Runs the backup program on a database. */
export const backup = ({ uri }: Pick<TestDatabase, "uri">, ...args: string[]) => runBackup(uri, ...args);

/**
 * Opens a database, a NATS server and a folder for a backup. `start` starts a registry, always on the same port.
 *
 * @param env further variables of the registry
 */
export async function openRig(context: TestContext, env: Readonly<Record<string, string>> = {}) {
  const nats = await startTestNats(context.onTestFinished);
  const database = await openTestDatabase(context.onTestFinished);
  const folder = await openTemporaryFolder("backup", context.onTestFinished);
  const port = await freePort();
  const variables = { REGISTRY_PORT: String(port), REGISTRY_RATE_LIMIT: "50", ...env };
  const start = (options: Pick<TestRegistryOptions, "onLogLine"> = {}) =>
    startTestRegistry({ ...options, database, natsUrl: nats.url, env: variables });
  /** Starts an edge, which reconnects when `start` is called again. Call this while a registry runs. */
  const openEdge = async () => {
    const edge = await openTestEdge({ registryAddress: `127.0.0.1:${port}` }, { onEnd: context.onTestFinished });
    return `http://127.0.0.1:${edge.port}`;
  };
  return { nats, database, folder: `${folder}/b`, start, openEdge };
}
