import path from "node:path";
import { execa } from "execa";
import { projectFolder } from "../../../deploy/local/stack/service-process.ts";
import { createTemporaryFolder } from "../../harness/temporary-folder.ts";
import { cleanEnvironment } from "./clean-environment.ts";
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
