import path from "node:path";
import { findOnPath, isExecutable } from "../../../../deploy/local/servers/executable.ts";
import { installIntoCache } from "../../../../deploy/local/servers/install-into-cache.ts";
import { logProgress } from "../../../../deploy/local/servers/log-progress.ts";
import { runCommand } from "../../../../deploy/local/servers/run-command.ts";
import type { SetupContext } from "../../../../deploy/local/servers/setup-context.ts";
import { SetupError } from "../../../../deploy/local/servers/setup-error.ts";

/** A program that `go install` builds. */
export interface GoProgram {
  readonly name: string;
  /** Import path of its main package. */
  readonly module: string;
  readonly version: string;
}

/** Scores Kubernetes objects against recommended practices. */
export const kubeScore: GoProgram = {
  name: "kube-score",
  module: "github.com/zegl/kube-score/cmd/kube-score",
  version: "v1.20.0",
};

/** Evaluates NetworkPolicies. */
export const cyclonus: GoProgram = {
  name: "cyclonus",
  module: "github.com/mattfenwick/cyclonus/cmd/cyclonus",
  version: "v0.5.6",
};

/** Returns the path of a Go program in the cache; builds a missing one. @throws SetupError when it cannot be built */
export async function findGoProgram({ name, module, version }: GoProgram, context: SetupContext): Promise<string> {
  const programIn = (folder: string) => path.join(folder, name);
  const entry = {
    name: `${name}-${version}`,
    isComplete: (folder: string) => isExecutable(programIn(folder)),
    install: async (folder: string) => {
      const go = await findOnPath("go", context.env);
      if (go === undefined) throw new SetupError(`go is not on the PATH, so ${name} cannot be built.`);
      const env = { GOBIN: folder, GOFLAGS: "", GOWORK: "off", CGO_ENABLED: "0" };
      const args = ["install", "-trimpath", `${module}@${version}`];
      const step = { log: context.log, what: `go install of ${name} ${version}`, usually: "1 to 3 minutes" };
      await logProgress(step, () =>
        runCommand({ command: go, args, env, limitMs: 20 * 60_000, signal: context.signal }),
      );
    },
  };
  return programIn(await installIntoCache(entry, context));
}
