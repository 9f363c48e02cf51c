/**
 * Returns the sources from which tests try to get a database server, in order. `containers` stands for testcontainers,
 * `local` for deploy/local/servers. TEST_SERVERS selects one of them. When it is unset or `auto`, tests try containers
 * and then local, but only local if MONGODB_URI or REGISTRY_DATABASE_SERVER is set.
 *
 * @throws Error when TEST_SERVERS has an unknown value
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
      throw new Error(`TEST_SERVERS is "${choice}"; set it to containers, local or auto`);
  }
}
