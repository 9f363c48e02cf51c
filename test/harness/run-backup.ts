import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../services/registry/backup/main.ts", import.meta.url));

// As long as the chart lets a job run by default, for checks that back up a large installation.
const timeoutMs = 1_800_000;

/** Runs the backup program on a database. @param uri connection string that names the database */
export function runBackup(uri: string, ...args: string[]) {
  const env = { ...process.env, REGISTRY_MONGODB_URI: uri };
  return new Promise<{ code: unknown; out: string; error: string }>((resolve) => {
    execFile(process.execPath, [program, ...args], { env, timeout: timeoutMs }, (failure, out, error) =>
      resolve({ code: failure === null ? 0 : failure.code, out, error }),
    );
  });
}
