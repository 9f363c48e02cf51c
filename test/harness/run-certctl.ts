import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { certctlVariables } from "./certctl-variables.ts";

/** Path of the certctl program. */
export const certctlProgram = fileURLToPath(new URL("../../services/cli/main.ts", import.meta.url));

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

const runner = fileURLToPath(new URL("certctl-runner.ts", import.meta.url));
// Processes that wait for their next run; they exit with this process.
const idle: ChildProcess[] = [];

function startRunner(): ChildProcess {
  const child = fork(runner, { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] });
  child.unref();
  child.channel?.unref();
  return child;
}

/** Runs certctl in another process, without TLS. @throws Error when it would not exit by itself within 60 s */
export function runCertctl(...args: string[]): Promise<CertctlRun> {
  return runCertctlWith({}, ...args);
}

/** Runs certctl as {@link runCertctl} does, with additional environment variables. */
export async function runCertctlWith(
  variables: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<CertctlRun> {
  const child = idle.pop() ?? startRunner();
  const request: CertctlRequest = { args, env: { ...process.env, ...certctlVariables(undefined), ...variables } };
  const ended = new AbortController();
  const { signal } = ended;
  try {
    const crashed = once(child, "exit", { signal }).then(([code]) => {
      throw new Error(`certctl ${args.join(" ")} crashed with exit code ${code}`);
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
}
