import { z } from "zod";
import { commandLine, decimal, integer, stackOptions, text } from "../../../deploy/local/stack/command-line.ts";

/** The hot paths that can be profiled, in the order in which they run. */
const pathNames = ["list", "poll", "refusal", "change", "delivery"] as const;

export type PathName = (typeof pathNames)[number];

const schema = z.object({
  only: text("paths", "paths to profile, comma-separated").default(pathNames.join(",")),
  seconds: decimal(0.5, 600, "length of the profiled load").default(10),
  stores: integer(1, 1_000, "stores over which the load is spread").default(50),
  output: text("folder", "folder to which the text report and the flame graph of each profile are written").default(
    "test/bench/profiles",
  ),
  ...stackOptions,
});

/** Options of {@link profileCommand}. */
export interface ProfileOptions extends z.output<typeof schema> {
  readonly paths: readonly PathName[];
}

const command = commandLine("npm run profile", schema, "npm run profile -- list is short for --only list.");

/** Command line of the profiler. A path may be given without `--only`. */
export const profileCommand = {
  usage: command.usage,
  parse: (args: readonly string[]): ProfileOptions | undefined => {
    const [first = ""] = args;
    const options = command.parse(first === "" || first.startsWith("-") ? args : ["--only", ...args]);
    return options && { ...options, paths: pathsOf(options.only) };
  },
};

function pathsOf(list: string): PathName[] {
  const names = list.split(",");
  const unknown = names.find((name) => !pathNames.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`There is no path "${unknown}".\n${command.usage}`);
  return pathNames.filter((name) => names.includes(name));
}
