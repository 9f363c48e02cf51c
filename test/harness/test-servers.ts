/**
 * Returns the sources of the tests' database server to try, in order: `containers` (testcontainers) or `local`
 * (deploy/local/servers). TEST_SERVERS selects one. Unset or `auto`: containers, then local; only local when the environment
 * names a local server.
 *
 * @throws Error for another value of TEST_SERVERS
 */
export function serverSources(env: NodeJS.ProcessEnv): readonly ("containers" | "local")[] {
  const choice = env.TEST_SERVERS || "auto";
  switch (choice) {
    case "containers":
    case "local":
      return [choice];
    case "auto":
      return env.MONGODB_URI || env.REGISTRY_DATABASE_SERVER ? ["local"] : ["containers", "local"];
    default:
      throw new Error(`TEST_SERVERS is "${choice}"; it can be containers, local or auto`);
  }
}
