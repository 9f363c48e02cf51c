import { execa } from "execa";
import { messageOf } from "../../deploy/local/servers/setup-error.ts";
import { withTimeout } from "../harness/with-timeout.ts";

const limitMs = 10_000;

/** Returns why containers cannot be started here; undefined if they can. */
export async function dockerProblem(): Promise<string | undefined> {
  const { getContainerRuntimeClient } = await import("testcontainers");
  try {
    await withTimeout("the response from Docker Engine", limitMs, getContainerRuntimeClient());
  } catch (error) {
    return `Docker Engine does not respond or cannot be used: ${messageOf(error)}`;
  }
  const { failed } = await execa("docker", ["compose", "version"], { reject: false, timeout: limitMs });
  return failed ? "`docker compose` is not installed" : undefined;
}
