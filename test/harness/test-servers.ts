/** Environment variable that chooses where the tests' database server comes from. */
export const testServersVariable = "TEST_SERVERS";

/** A way to get a database server: `containers` (testcontainers) or `local` (deploy/local/servers). */
export type ServerSource = "containers" | "local";

/**
 * The ways to try, in order. Unset or `auto`: a container, else a server of this machine; settings that name a certain
 * local server are followed.
 *
 * @throws Error for another value
 */
export function serverSources(env: NodeJS.ProcessEnv): readonly ServerSource[] {
  const choice = env[testServersVariable] || "auto";
  switch (choice) {
    case "containers":
    case "local":
      return [choice];
    case "auto":
      return env.MONGODB_URI || env.REGISTRY_DATABASE_SERVER ? ["local"] : ["containers", "local"];
    default:
      throw new Error(`${testServersVariable} is "${choice}"; it can be containers, local or auto`);
  }
}
