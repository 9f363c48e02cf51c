import type { TestProject } from "vitest/node";
import { makeServerCertificate, type ServerCertificate } from "../../deploy/local/certificates/self-signed.ts";
import { messageOf } from "../../deploy/local/servers/setup-error.ts";
import { isStandIn } from "../../deploy/local/servers/stand-in/stand-in-databases.ts";
import { startContainerDatabase } from "./database-in-container.ts";
import { openKeyFolder } from "./key-files.ts";
import { startOwnDatabase } from "./own-database.ts";
import type { Log } from "./supervisor/supervisor.ts";
import { serverSources } from "./test-servers.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Connection string of the run's database server, without a database name. */
    databaseServerUrl: string;
    /**
     * Whether tests leave their databases on that server. While a stand-in drops a database in which a killed process
     * left a transaction, it blocks all others until that transaction expires, after a minute.
     */
    keepsTestDatabases: boolean;
    /** Key file with which registries under test encrypt secrets. */
    secretKeyFile: string;
    /** TLS certificate and key for the webhook receivers in notifier-rig.ts. */
    receiverCertificate: ServerCertificate;
    /** PEM file of the authority that issued {@link receiverCertificate}. */
    receiverCaFile: string;
  }
}

/**
 * Starts the run's database server, and creates a key and a certificate.
 *
 * @returns a function that stops the server and deletes the files
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const opened = new AsyncDisposableStack();
  const server = await startServer((line) => project.vitest.logger.log(line));
  opened.defer(() => server.stop());
  project.provide("databaseServerUrl", server.url);
  project.provide("keepsTestDatabases", isStandIn(server.kind));
  const keys = await openKeyFolder((remove) => opened.defer(remove));
  project.provide("secretKeyFile", await keys.write("secret"));
  const receiverCertificate = await makeServerCertificate();
  project.provide("receiverCertificate", receiverCertificate);
  project.provide("receiverCaFile", await keys.write("receiver-ca.pem", Buffer.from(receiverCertificate.caPem)));
  return () => opened.disposeAsync();
}

async function startServer(log: Log) {
  const sources = serverSources(process.env);
  if (sources.includes("containers")) {
    try {
      const server = await startContainerDatabase(process.env);
      log(`Database: ${server.kind} at ${server.url}.`);
      return server;
    } catch (error) {
      if (!sources.includes("local")) throw error;
      log(`The database cannot run in a container: ${messageOf(error)}. Trying a local server.`);
    }
  }
  // Set for whole runs by test/run-tests.ts.
  return startOwnDatabase({ log, buildFast: process.env.TEST_BUILD_DATABASE === "1" });
}
