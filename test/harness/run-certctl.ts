import { fileURLToPath } from "node:url";
import { type CertctlRun, startCertctlProcesses } from "../../deploy/local/stack/certctl-processes.ts";
import { certctlVariables } from "./certctl-variables.ts";

export type { CertctlRun } from "../../deploy/local/stack/certctl-processes.ts";

/** Path of the certctl program. */
export const certctlProgram = fileURLToPath(new URL("../../services/cli/main.ts", import.meta.url));

const certctl = startCertctlProcesses();

/** Runs certctl in another process, without TLS. @throws Error when it would not exit by itself within 60 s */
export function runCertctl(...args: string[]): Promise<CertctlRun> {
  return runCertctlWith({}, ...args);
}

/** Runs certctl as {@link runCertctl} does, with additional environment variables. */
export function runCertctlWith(variables: Readonly<Record<string, string>>, ...args: string[]): Promise<CertctlRun> {
  return certctl.run({ args, env: { ...process.env, ...certctlVariables(undefined), ...variables } });
}

/** Runs certctl for a store of a registry without TLS. */
export function runCertctlFor({ address }: { readonly address: string }, storeId: string, ...args: string[]) {
  return runCertctl("--registry", address, "--store", storeId, ...args);
}
