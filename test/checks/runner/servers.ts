import { startDatabase } from "../../../deploy/local/servers/database-server.ts";
import { freePorts } from "../../../deploy/local/servers/free-port.ts";
import { startNats } from "../../../deploy/local/servers/nats-server.ts";
import { databaseUri } from "../../../deploy/local/stack/service-specs.ts";
import type { Part } from "./part.ts";
import type { CheckProcesses } from "./processes.ts";
import { shortenTransactions } from "./short-transactions.ts";

/** The servers of a check. */
export interface CheckServers {
  readonly database: Part;
  readonly messages: Part;
  readonly mongodbUri: string;
  readonly natsUrl: string;
}

/**
 * Starts a database and a NATS server of the check's own.
 *
 * @param buildFast builds a fast database server first, unless there is one
 * @throws SetupError, one sentence, when one cannot be had or does not start
 */
export async function startServers(processes: CheckProcesses, buildFast: boolean): Promise<CheckServers> {
  const [databasePort = 0, messagesPort = 0] = await freePorts(2);
  const { signal } = processes;
  // Servers that somebody else runs cannot be killed.
  const env = { ...process.env, MONGODB_URI: undefined, NATS_URL: undefined };
  const told = new Set<string>();
  const optionsOf = (name: string, port: number) => {
    // Which server it is and where is news only once.
    const log = told.has(name) ? () => undefined : processes.say;
    told.add(name);
    return { dataDir: processes.path(name), port, log, logFile: processes.path(`${name}.log`), signal, env };
  };
  const launchDatabase = async () => {
    const server = await startDatabase({ ...optionsOf("database", databasePort), buildFast });
    try {
      await shortenTransactions(server.url);
      return server;
    } catch (error) {
      server.kill();
      throw error;
    }
  };
  const launchMessages = () => startNats(optionsOf("messages", messagesPort));
  return {
    database: await processes.start({ name: "database", launch: launchDatabase }),
    messages: await processes.start({ name: "messages", launch: launchMessages }),
    mongodbUri: databaseUri(`mongodb://127.0.0.1:${databasePort}/?directConnection=true`),
    natsUrl: `nats://127.0.0.1:${messagesPort}`,
  };
}
