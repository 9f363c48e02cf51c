import { devNull } from "node:os";
import type { GrpcFiles } from "../../deploy/local/stack/grpc-certificates.ts";

/**
 * Returns environment variables that make certctl use these TLS files, or no TLS, and ignore the user's contexts.
 *
 * @param operator TLS files of an operator; undefined if TLS is off
 */
export function certctlVariables(operator: GrpcFiles | undefined): Readonly<Record<string, string>> {
  return {
    // An empty file, because the user's contexts could change which registry a test calls.
    CERTCTL_CONFIG: devNull,
    CERTCTL_CONTEXT: "",
    CERTCTL_PLAINTEXT: String(operator === undefined),
    CERTCTL_CERT_FILE: operator?.cert ?? "",
    CERTCTL_KEY_FILE: operator?.key ?? "",
    CERTCTL_CA_FILE: operator?.ca ?? "",
  };
}
