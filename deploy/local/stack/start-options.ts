import path from "node:path";
import { parseArgs } from "node:util";
import { messageOf, SetupError } from "../servers/setup-error.ts";
import { projectFolder } from "./service-process.ts";

/** What `npm start` was asked for. */
export interface StartOptions {
  /** Begin anew: all data is thrown away. */
  readonly reset: boolean;
  readonly help: boolean;
  /** The service that is started again whenever its code changes, or undefined. */
  readonly watch: string | undefined;
  /** Where data persists, an absolute path. */
  readonly dataFolder: string;
  /** The public API. */
  readonly edgePort: number;
  /** The registry's gRPC. */
  readonly registryPort: number;
  /** The demo receiver of webhooks. */
  readonly receiverPort: number;
}

/** How `npm start` is used. */
export const usage = `npm start -- [options]
  --reset                begin anew: throw the demo's data away
  --port <n>             port of the public API           (default 8080)
  --registry-port <n>    port of the registry's gRPC      (default 9090)
  --receiver-port <n>    port of the demo receiver        (default 8443)
  --watch <service>      start registry, edge or notifier again whenever its code changes
  --data <folder>        where data persists              (default .data)`;

/** Reads the arguments of `npm start`. @throws SetupError naming the argument at fault */
export function parseStartOptions(args: readonly string[]): StartOptions {
  const values = parsed(args);
  return {
    reset: values.reset,
    help: values.help,
    watch: watchOf(values.watch),
    dataFolder: path.resolve(projectFolder, values.data),
    edgePort: portOf("port", values.port),
    registryPort: portOf("registry-port", values["registry-port"]),
    receiverPort: portOf("receiver-port", values["receiver-port"]),
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        reset: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
        watch: { type: "string" },
        data: { type: "string", default: ".data" },
        port: { type: "string", default: "8080" },
        "registry-port": { type: "string", default: "9090" },
        "receiver-port": { type: "string", default: "8443" },
      },
    }).values;
  } catch (error) {
    throw new SetupError(`${messageOf(error)}\n${usage}`);
  }
}

function watchOf(service: string | undefined): string | undefined {
  if (service !== undefined && !["registry", "edge", "notifier"].includes(service))
    throw new SetupError(`--watch ${service} is not a service (registry, edge or notifier).`);
  return service;
}

function portOf(name: string, text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535)
    throw new SetupError(`--${name} ${text} is not a port (1 to 65535).`);
  return port;
}
