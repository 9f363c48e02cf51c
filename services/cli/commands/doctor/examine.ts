import type { Target } from "../../command/connection-options.ts";
import { checkFiles } from "./check-files.ts";
import { checkRegistry } from "./check-registry.ts";
import { type Finding, ownFinding } from "./finding.ts";

/**
 * Checks certctl's configuration, its certificate, the connection and the registry, and yields each finding. Ends after
 * a fault that makes later checks impossible.
 */
export async function* examine(chooseTarget: () => Target): AsyncGenerator<Finding> {
  const condition = "certctl is configured";
  let target: Target;
  try {
    target = chooseTarget();
  } catch (error) {
    const seen = error instanceof Error ? error.message : String(error);
    yield ownFinding(condition, seen, "Select an existing context, or correct the file that the message names.");
    return;
  }
  const { registry, security, store } = target;
  yield ownFinding(condition, `registry ${registry.description}${store === undefined ? "" : `, store ${store}`}`);
  const files = checkFiles(security, registry.address, Date.now());
  yield* files;
  const [identity] = files;
  // Without usable files, no connection is possible. An expired certificate does not end the checks, so that the
  // findings show how the registry responds to it.
  if (identity?.state === "fault" && files.length === 1) return;
  yield* await checkRegistry(registry, security);
}
