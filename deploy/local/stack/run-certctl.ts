import { devNull } from "node:os";
import { SetupError } from "../servers/setup-error.ts";
import type { CertctlProcesses } from "./certctl-processes.ts";
import type { GrpcFiles } from "./grpc-certificates.ts";

/** The registry of the demo, and what is needed to call it with certctl. */
export interface DemoRegistry {
  readonly registryAddress: string;
  /** The TLS files of certctl: client certificate, private key and trusted authority. */
  readonly operator: GrpcFiles;
  readonly certctl: CertctlProcesses;
}

/**
 * Runs a certctl command in another process.
 *
 * @param accepted exit codes other than 0 that are no failure
 * @returns the command's output
 * @throws SetupError with the command's error output when it fails
 */
export async function runCertctl(
  { registryAddress, operator, certctl }: DemoRegistry,
  store: string,
  args: readonly string[],
  accepted: readonly number[] = [],
): Promise<string> {
  const files = ["--cert-file", operator.cert, "--key-file", operator.key, "--ca-file", operator.ca];
  const global = ["--registry", registryAddress, ...files, "--store", store];
  // Ignores the user's contexts, which may select other registries.
  const env = { ...process.env, CERTCTL_CONFIG: devNull, CERTCTL_CONTEXT: "" };
  const { code, out, error } = await certctl.run({ args: [...global, ...args], env });
  if (code !== 0 && !accepted.includes(code))
    throw new SetupError(`certctl ${args.slice(0, 2).join(" ")} failed. ${error}`);
  return out;
}
