import { spawn } from "node:child_process";
import { SetupError } from "../servers/setup-error.ts";
import { projectFolder } from "./service-process.ts";

/**
 * Runs a certctl command, as a user would.
 *
 * @param output `show` lets it write to our terminal; default: what it prints is returned
 * @throws SetupError with what it says when it fails
 */
export async function runCertctl(
  registryAddress: string,
  store: string,
  args: readonly string[],
  output: "return" | "show" = "return",
): Promise<string> {
  const global = ["--registry", registryAddress, "--store", store];
  const child = spawn(process.execPath, ["services/cli/main.ts", ...global, ...args], {
    cwd: projectFolder,
    stdio: ["ignore", output === "show" ? "inherit" : "pipe", output === "show" ? "inherit" : "pipe"],
  });
  let printed = "";
  let complaints = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaints += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new SetupError(`certctl ${args.slice(0, 2).join(" ")} failed. ${complaints.trim()}`);
  return printed;
}
