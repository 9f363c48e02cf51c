import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { compiledFolder } from "./compiled-folder.ts";

/** Arguments and environment of a certctl run. */
export interface CertctlRequest {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** Exit code, standard output and standard error of a certctl run. */
export interface CertctlRun {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** Processes that run certctl commands. Each runs many, one after the other, and loads its modules once. */
export interface CertctlProcesses {
  /** Runs certctl in a process that is idle, or in a new one. @throws Error when the process ends or would not exit */
  run(request: CertctlRequest): Promise<CertctlRun>;
  /** Ends the processes. They also end with this process. */
  close(): void;
}

const runner = fileURLToPath(new URL("certctl-runner.ts", import.meta.url));

/** Starts a process for certctl; it loads its modules while this process does other work. */
export function startCertctlProcesses(): CertctlProcesses {
  const all = new Set<ChildProcess>();
  const startOne = () => {
    const env = { ...process.env, NODE_COMPILE_CACHE: compiledFolder };
    const child = fork(runner, { env, stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] });
    all.add(child);
    child.once("exit", () => all.delete(child));
    child.unref();
    child.channel?.unref();
    return child;
  };
  const idle = [startOne()];
  const takeIdle = () => {
    for (let child = idle.pop(); child !== undefined; child = idle.pop()) if (all.has(child)) return child;
    return startOne();
  };
  return {
    run: async (request) => {
      const child = takeIdle();
      const ended = new AbortController();
      const { signal } = ended;
      try {
        const crashed = once(child, "exit", { signal }).then(([code]) => {
          throw new Error(`certctl ${request.args.join(" ")} crashed with exit code ${code}`);
        });
        const replied = once(child, "message", { signal });
        child.ref();
        child.channel?.ref();
        child.send(request);
        const [run]: CertctlRun[] = await Promise.race([replied, crashed]);
        if (run === undefined) throw new Error("the runner sent no result");
        idle.push(child);
        return run;
      } finally {
        ended.abort();
        child.unref();
        child.channel?.unref();
      }
    },
    close: () => {
      for (const child of all) child.kill();
    },
  };
}
