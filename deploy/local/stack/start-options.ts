import path from "node:path";
import { parseArgs } from "node:util";
import { messageOf, SetupError } from "../servers/setup-error.ts";
import { projectFolder } from "./service-process.ts";

/** The options of `npm start`. */
export interface StartOptions {
  readonly reset: boolean;
  readonly help: boolean;
  /** The service to restart whenever its code changes; undefined without `--watch`. */
  readonly watch: string | undefined;
  readonly dataFolder: string;
  readonly edgePort: number;
  readonly registryPort: number;
  readonly receiverPort: number;
  readonly shopPort: number;
}

/** Help text of `npm start`. */
export const usage = `npm start -- [options]
  --reset                delete the demo's data first
  --port <n>             port of the public API           (default 8080)
  --registry-port <n>    port of the registry's gRPC API  (default 9090)
  --receiver-port <n>    port of the demo receiver        (default 8443)
  --shop-port <n>        port of the demo shop            (default 8088)
  --watch <service>      restart registry, edge or notifier whenever its code changes
  --data <folder>        data folder                      (default .data)
  -h, --help             show this help`;

/** Parses the arguments of `npm start`. @throws SetupError naming the invalid argument */
export function parseStartOptions(args: readonly string[]): StartOptions {
  const values = parse(args);
  return {
    reset: values.reset,
    help: values.help,
    watch: parseWatch(values.watch),
    dataFolder: path.resolve(projectFolder, values.data),
    edgePort: parsePort("port", values.port),
    registryPort: parsePort("registry-port", values["registry-port"]),
    receiverPort: parsePort("receiver-port", values["receiver-port"]),
    shopPort: parsePort("shop-port", values["shop-port"]),
  };
}

function parse(args: readonly string[]) {
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
        "shop-port": { type: "string", default: "8088" },
      },
    }).values;
  } catch (error) {
    throw new SetupError(`${messageOf(error)}\n${usage}`);
  }
}

function parseWatch(service: string | undefined): string | undefined {
  if (service !== undefined && !["registry", "edge", "notifier"].includes(service))
    throw new SetupError(`Invalid option --watch ${service}: the service must be registry, edge or notifier.`);
  return service;
}

function parsePort(name: string, text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535)
    throw new SetupError(`Invalid option --${name} ${text}: the port must be a whole number from 1 to 65535.`);
  return port;
}
