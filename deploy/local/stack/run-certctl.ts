import { execa } from "execa";
import { SetupError } from "../servers/setup-error.ts";
import { compiledFolder } from "./compiled-folder.ts";
import { projectFolder } from "./service-process.ts";

/**
 * Runs a certctl command as a separate process.
 *
 * @param output `inherit` shows its output on this process's terminal; `pipe` (default) returns it
 * @throws SetupError with the command's error output when the command fails
 */
export async function runCertctl(
  registryAddress: string,
  store: string,
  args: readonly string[],
  output: "pipe" | "inherit" = "pipe",
): Promise<string> {
  const global = ["--registry", registryAddress, "--store", store];
  const { failed, stdout, stderr } = await execa(process.execPath, ["services/cli/main.ts", ...global, ...args], {
    cwd: projectFolder,
    env: { NODE_COMPILE_CACHE: compiledFolder },
    stdin: "ignore",
    stdout: output,
    stderr: output,
    reject: false,
  });
  if (failed) throw new SetupError(`certctl ${args.slice(0, 2).join(" ")} failed. ${stderr ?? ""}`);
  return stdout ?? "";
}
