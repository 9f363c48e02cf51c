import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Path of the certctl program. */
export const certctlProgram = fileURLToPath(new URL("../../services/cli/main.ts", import.meta.url));

/** Result of a certctl run. */
export interface CertctlRun {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** Runs certctl as a separate process. */
export function runCertctl(...args: string[]): Promise<CertctlRun> {
  return new Promise((resolve) => {
    execFile(process.execPath, [certctlProgram, ...args], { timeout: 20_000 }, (failure, out, error) => {
      resolve({ code: failure === null ? 0 : Number(failure.code), out, error });
    });
  });
}
