import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { findOnPath, isExecutable } from "../../../../deploy/local/servers/executable.ts";
import { installIntoCache } from "../../../../deploy/local/servers/install-into-cache.ts";
import { logProgress } from "../../../../deploy/local/servers/log-progress.ts";
import { runCommand } from "../../../../deploy/local/servers/run-command.ts";
import type { SetupContext } from "../../../../deploy/local/servers/setup-context.ts";
import { SetupError } from "../../../../deploy/local/servers/setup-error.ts";

/** A program that Go builds from its source. */
interface GoProgram {
  readonly name: string;
  /** Import path of its main package. */
  readonly module: string;
  readonly version: string;
  /** Build tags. Default: none. */
  readonly tags?: string;
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

/** Checks and tests Prometheus rules. Built without service discovery, whose clients would triple the build time. */
export const promtool: GoProgram = {
  name: "promtool",
  module: "github.com/prometheus/prometheus/cmd/promtool",
  version: "v0.313.5",
  tags: "remove_all_sd",
};

/** Checks GitHub's workflow files. */
export const actionlint: GoProgram = {
  name: "actionlint",
  module: "github.com/rhysd/actionlint/cmd/actionlint",
  version: "v1.7.12",
};

/** Returns the path of a program in the cache; builds it if it is missing. @throws SetupError if it cannot be built */
export async function findGoProgram(program: GoProgram, context: SetupContext): Promise<string> {
  const { name, module, version, tags = "" } = program;
  const programIn = (folder: string) => path.join(folder, name);
  const entry = {
    name: `${name}-${version}`,
    isComplete: (folder: string) => isExecutable(programIn(folder)),
    install: async (folder: string) => {
      const go = await findOnPath("go", context.env);
      if (go === undefined) throw new SetupError(`go is not on the PATH, so ${name} cannot be built.`);
      const env = { GOFLAGS: "", GOWORK: "off", CGO_ENABLED: "0" };
      const run = (...args: string[]) =>
        runCommand({ command: go, args: ["-C", source, ...args], env, limitMs: 20 * 60_000, signal: context.signal });
      // `go install` refuses a module with exclude directives, such as Prometheus's, but `go build` accepts it as a
      // dependency.
      const source = path.join(folder, "source");
      await mkdir(source);
      const step = { log: context.log, what: `Building ${name} ${version} with Go`, usually: "1 to 4 minutes" };
      await logProgress(step, async () => {
        await run("mod", "init", "build");
        await run("get", `${module}@${version}`);
        await run("build", "-trimpath", "-tags", tags, "-o", programIn(folder), module);
        await rm(source, { recursive: true });
      });
    },
  };
  return programIn(await installIntoCache(entry, context));
}
