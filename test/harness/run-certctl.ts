import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { certctlVariables } from "./certctl-variables.ts";

/** Path of the certctl program. */
export const certctlProgram = fileURLToPath(new URL("../../services/cli/main.ts", import.meta.url));

/** Exit code, standard output and standard error of a certctl run. */
export interface CertctlRun {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** Runs certctl as a separate process, without TLS. @throws Error when it does not exit by itself within 60 s */
export function runCertctl(...args: string[]): Promise<CertctlRun> {
  return runCertctlWith({}, ...args);
}

/** Runs certctl as {@link runCertctl} does, with additional environment variables. */
export function runCertctlWith(variables: Readonly<Record<string, string>>, ...args: string[]): Promise<CertctlRun> {
  const options = { timeout: 60_000, env: { ...process.env, ...certctlVariables(undefined), ...variables } };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [certctlProgram, ...args], options, (failure, out, error) => {
      const code = failure === null ? 0 : failure.code;
      // A process that was killed, or that could not be started, has no exit code.
      if (typeof code === "number") resolve({ code, out, error });
      else reject(failure);
    });
  });
}
