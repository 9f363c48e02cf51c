import path from "node:path";
import { execa } from "execa";
import { projectFolder } from "../../../deploy/local/stack/service-process.ts";
import { createTemporaryFolder } from "../../harness/files/temporary-folder.ts";
import { type RunningDemo, startDemo } from "./running-demo.ts";
import { useDemo } from "./use-demo.ts";

const secondsSince = (from: number) => ((performance.now() - from) / 1_000).toFixed(1).padStart(6);

/** Follows a new user on a new machine. @returns 0, or 1 when a step fails, after printing what was seen */
export async function runCheck(signal: AbortSignal): Promise<number> {
  const startedAt = performance.now();
  const folder = await createTemporaryFolder("newcomer");
  const checkout = path.join(folder.path, "certificate-registry");
  const env = cleanEnvironment(process.env, path.join(folder.path, "cache"));
  let demo: RunningDemo | undefined;
  const start = async () => {
    demo = await startDemo(checkout, env, signal);
    return demo;
  };
  const stop = async () => demo?.interrupt();
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const from = performance.now();
    try {
      signal.throwIfAborted();
      const result = await work();
      process.stdout.write(`${secondsSince(from)} s  ${name}\n`);
      return result;
    } catch (error) {
      process.stdout.write(`${secondsSince(from)} s  ${name}: FAILED\n`);
      throw error;
    }
  };
  try {
    await step("clone the last commit", () => execa("git", ["clone", "--quiet", projectFolder, checkout]));
    const first = await step("npm start on a new machine, with the import of the demo's orders", start);
    process.stdout.write(`          database: ${first.facts.database_server}\n`);
    const { verifyKept } = await useDemo(first, checkout, env, step);
    await step("Ctrl-C", stop);
    const second = await step("npm start again", start);
    await step("the issued certificate is still there", () => verifyKept(second));
    await step("Ctrl-C", stop);
    process.stdout.write(`${secondsSince(startedAt)} s  in all\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`\n${error instanceof Error ? error.message : error}\n`);
    return 1;
  } finally {
    demo?.kill();
    await folder.remove();
  }
}

const ownPrograms = /node_modules[\\/]\.bin$/;
const setByNpm = /^(npm_(?!config_)|npm_config_(local_)?prefix$|INIT_CWD$|NODE_COMPILE_CACHE$)/i;

/**
 * Returns the environment of a new user's terminal: this process's, without what `npm run` has added, and with an empty
 * cache of servers. Variables of the servers, such as REGISTRY_DATABASE_SERVER, remain.
 */
function cleanEnvironment(env: NodeJS.ProcessEnv, cacheFolder: string): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !setByNpm.test(name));
  const delimiter = process.platform === "win32" ? ";" : ":";
  const path = (env.PATH ?? "").split(delimiter).filter((folder) => !ownPrograms.test(folder));
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter), XDG_CACHE_HOME: cacheFolder };
}
