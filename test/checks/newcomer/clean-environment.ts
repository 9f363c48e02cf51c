const ownPrograms = /node_modules[\\/]\.bin$/;
const setByNpm = /^(npm_(?!config_)|npm_config_(local_)?prefix$|INIT_CWD$|NODE_COMPILE_CACHE$)/i;

/**
 * Returns the environment of a new user's terminal: this process's, without what `npm run` has added, and with an empty
 * cache of servers. Variables of the servers, such as REGISTRY_DATABASE_SERVER, remain.
 */
export function cleanEnvironment(env: NodeJS.ProcessEnv, cacheFolder: string): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !setByNpm.test(name));
  const delimiter = process.platform === "win32" ? ";" : ":";
  const path = (env.PATH ?? "").split(delimiter).filter((folder) => !ownPrograms.test(folder));
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter), XDG_CACHE_HOME: cacheFolder };
}
