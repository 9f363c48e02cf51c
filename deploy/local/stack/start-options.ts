import path from "node:path";
import { z } from "zod";
import { commandLine, flag, integer, text } from "./command-line.ts";
import { projectFolder } from "./service-process.ts";

/** The options of `npm start`. */
export type StartOptions = NonNullable<ReturnType<typeof parseStartOptions>>;

const port = (preset: number, help: string) => integer(1, 65_535, help).default(preset);
const service = z.enum(["registry", "edge", "notifier"], { error: "is not registry, edge or notifier" });

const startCommand = commandLine(
  "npm start",
  z.object({
    reset: flag("deletes the demo's data first"),
    port: port(8080, "port of the public API"),
    registryPort: port(9090, "port of the registry's gRPC API"),
    receiverPort: port(8443, "port of the demo receiver"),
    shopPort: port(8088, "port of the demo shop"),
    watch: service
      .meta({ description: "restarts this service whenever its code changes", placeholder: "<service>" })
      .optional(),
    data: text("folder", "data folder").default(".data"),
  }),
);

/** Help text of `npm start`. */
export const { usage } = startCommand;

/** Parses the arguments of `npm start`. @returns undefined for `--help` @throws SetupError naming the bad argument */
export function parseStartOptions(args: readonly string[]) {
  const options = startCommand.parse(args);
  if (options === undefined) return undefined;
  const { port: edgePort, data, ...others } = options;
  return { ...others, edgePort, dataFolder: path.resolve(projectFolder, data) };
}
