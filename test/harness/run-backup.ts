import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../services/registry/backup/main.ts", import.meta.url));

/** Runs the backup program on a database. @param uri connection string that names the database */
export function runBackup(uri: string, ...args: string[]) {
  const env = { ...process.env, REGISTRY_MONGODB_URI: uri };
  return new Promise<{ code: unknown; out: string; error: string }>((resolve) => {
    execFile(process.execPath, [program, ...args], { env, timeout: 60_000 }, (failure, out, error) =>
      resolve({ code: failure === null ? 0 : failure.code, out, error }),
    );
  });
}
