import { devNull } from "node:os";
import { execa } from "execa";
import { SetupError } from "../servers/setup-error.ts";
import { compiledFolder } from "./compiled-folder.ts";
import type { GrpcFiles } from "./grpc-certificates.ts";
import { projectFolder } from "./service-process.ts";

/** The registry of the demo, and the TLS files for calling it. */
export interface DemoRegistry {
  readonly registryAddress: string;
  /** The TLS files of certctl: client certificate, private key and trusted authority. */
  readonly operator: GrpcFiles;
}

/**
 * Runs a certctl command as a separate process.
 *
 * @param registry the registry's address, and the files of the operator's certificate
 * @returns the command's output
 * @throws SetupError with the command's error output when it fails
 */
export async function runCertctl(
  { registryAddress, operator }: DemoRegistry,
  store: string,
  args: readonly string[],
): Promise<string> {
  const files = ["--cert-file", operator.cert, "--key-file", operator.key, "--ca-file", operator.ca];
  const global = ["--registry", registryAddress, ...files, "--store", store];
  const { failed, stdout, stderr } = await execa(process.execPath, ["services/cli/main.ts", ...global, ...args], {
    cwd: projectFolder,
    // Ignores the user's contexts, which may select other registries.
    env: { NODE_COMPILE_CACHE: compiledFolder, CERTCTL_CONFIG: devNull, CERTCTL_CONTEXT: "" },
    stdin: "ignore",
    reject: false,
  });
  if (failed) throw new SetupError(`certctl ${args.slice(0, 2).join(" ")} failed. ${stderr}`);
  return stdout;
}
