import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The path of the certctl program. */
export const certctlProgram = fileURLToPath(new URL("../../services/cli/main.ts", import.meta.url));

/** How a run of certctl ended. */
export interface CertctlRun {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** Runs certctl as a process of its own. */
export function runCertctl(...args: string[]): Promise<CertctlRun> {
  return new Promise((resolve) => {
    execFile(process.execPath, [certctlProgram, ...args], { timeout: 20_000 }, (failure, out, error) => {
      resolve({ code: failure === null ? 0 : Number(failure.code), out, error });
    });
  });
}
