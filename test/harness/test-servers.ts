/** Environment variable that selects the source of the tests' database server. */
export const testServersVariable = "TEST_SERVERS";

/** Source of a database server: `containers` (testcontainers) or `local` (deploy/local/servers). */
export type ServerSource = "containers" | "local";

/**
 * Returns the sources to try, in order. Unset or `auto`: containers, then local; only local when the environment names a local
 * server.
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
