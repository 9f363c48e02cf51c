import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../deploy/local/servers/setup-error.ts";
import { withTimeout } from "./with-timeout.ts";

const image = "mongo:8.0";
const answerWithinMs = 5_000;
const pullWithinMs = 120_000;
const startWithinMs = 90_000;

/**
 * Starts a MongoDB replica set with one member in a container.
 *
 * @throws Error when Docker Engine or the image is unavailable, or the container does not start
 */
export async function startContainerDatabase(env: NodeJS.ProcessEnv) {
  if (!mayHaveDocker(env)) throw new Error("Docker Engine is not installed or not running");
  // Loaded lazily, because loading the library takes longer than running a unit test.
  const { getContainerRuntimeClient, ImageName } = await import("testcontainers");
  const { MongoDBContainer } = await import("@testcontainers/mongodb");
  const asking = getContainerRuntimeClient().catch((cause: unknown) => {
    throw new Error("Docker Engine does not respond or cannot be used", { cause });
  });
  const runtime = await withTimeout("the response from Docker Engine", answerWithinMs, asking);
  const name = ImageName.fromString(image);
  const pulling = runtime.image.pull(name).catch(failedBecause(`the image ${image} is unavailable`));
  await withTimeout(`the pull of ${image}`, pullWithinMs, pulling);
  // A pull during which the image registry becomes unreachable ends without an error.
  if (!(await runtime.image.exists(name))) throw new Error(`the image ${image} is unavailable`);
  const starting = new MongoDBContainer(image)
    .start()
    .catch(failedBecause(`${image}, or the helper container of testcontainers, cannot be started`));
  const container = await withTimeout(`the start of ${image}`, startWithinMs, starting, (late) => late.stop());
  return {
    kind: `${image} in a container`,
    // A direct connection, because the member's host name resolves only within its container.
    url: `${container.getConnectionString()}/?directConnection=true`,
    stop: async () => {
      await container.stop();
    },
  };
}

/** Returns an error handler that prefixes Docker Engine's message, which does not name the image, with `what`. */
function failedBecause(what: string): (cause: unknown) => never {
  return (cause) => {
    const reason = messageOf(cause).trim();
    throw new Error(`${what}: ${reason.replace(/\s*\.$/, "")}`, { cause });
  };
}

/** Returns whether Docker Engine might be available. Without it, the library would search for several seconds. */
function mayHaveDocker(env: NodeJS.ProcessEnv): boolean {
  if (env.DOCKER_HOST || process.platform === "win32") return true;
  const folders = ["/var/run", env.XDG_RUNTIME_DIR, join(homedir(), ".docker", "run")];
  const more = [join(homedir(), ".docker", "desktop"), `/run/user/${process.getuid?.()}`];
  return [...folders, ...more].some((folder) => folder && existsSync(join(folder, "docker.sock")));
}
