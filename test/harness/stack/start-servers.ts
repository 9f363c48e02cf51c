import { freePort } from "../../../deploy/local/servers/free-port.ts";
import { startLimitedDatabase } from "../../../deploy/local/servers/limit-transactions.ts";
import { startNats } from "../../../deploy/local/servers/nats-server.ts";
import type { SupervisedProcess } from "../supervisor/supervised-process.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";

/** A supervised database or NATS server. */
export interface StackServer {
  readonly process: SupervisedProcess;
  /** URL without a database name. */
  readonly url: string;
  /** The program, such as `mongod`. */
  readonly kind: string;
}

/**
 * Starts a database server; restarts keep its port.
 *
 * @param buildFast whether to build the fast stand-in, which takes minutes, when no faster server is installed or can
 * be installed
 * @throws SetupError when no server can be installed or started
 */
export function startStackDatabase(supervisor: Supervisor, buildFast: boolean): Promise<StackServer> {
  return startStackServer(supervisor, "database", (options) => startLimitedDatabase({ ...options, buildFast }));
}

/** Starts a NATS server; restarts keep its port. @throws SetupError when it cannot be installed or started */
export function startStackNats(supervisor: Supervisor): Promise<StackServer> {
  return startStackServer(supervisor, "nats", startNats);
}

async function startStackServer(supervisor: Supervisor, name: string, start: typeof startNats): Promise<StackServer> {
  const port = await freePort();
  let kind = "";
  let url = "";
  const launch = async () => {
    const server = await start({
      dataDir: supervisor.path(name),
      port,
      // Only the first start logs which server is used.
      log: kind === "" ? supervisor.log : () => undefined,
      logFile: supervisor.path(`${name}.log`),
      signal: supervisor.signal,
      // An external server can be neither killed nor measured.
      env: { ...process.env, MONGODB_URI: undefined, NATS_URL: undefined },
    });
    ({ kind, url } = server);
    return server;
  };
  return { process: await supervisor.start({ name, launch }), url, kind };
}
