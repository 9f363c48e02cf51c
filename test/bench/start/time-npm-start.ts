import { execa } from "execa";
import { freePort } from "../../../deploy/local/servers/free-port.ts";
import { projectFolder } from "../../../deploy/local/stack/service-process.ts";
import { createTemporaryFolder } from "../../harness/files/temporary-folder.ts";

const readyText = "The certificate registry is ready.";
const readyWithinMs = 300_000;

/**
 * Runs `npm start` twice per round: with an empty data folder, then again with the data of the first run.
 *
 * @returns the milliseconds from the start of npm to the summary that `npm start` prints
 * @throws Error with the output of `npm start` when it exits, or five minutes pass, before the services are ready
 */
export async function timeNpmStart(rounds: number, signal: AbortSignal) {
  const withNewData: number[] = [];
  const again: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await using folder = await createTemporaryFolder("bench-start");
    withNewData.push(await timeOnce(folder.path, signal));
    again.push(await timeOnce(folder.path, signal));
  }
  return { withNewData, again };
}

async function timeOnce(dataFolder: string, signal: AbortSignal): Promise<number> {
  const names = ["--port", "--registry-port", "--receiver-port", "--shop-port"];
  const options = ["--data", dataFolder];
  for (const name of names) options.push(name, String(await freePort()));
  const startedAt = performance.now();
  const child = execa("npm", ["start", "--", ...options], {
    cwd: projectFolder,
    stdin: "ignore",
    reject: false,
    all: true,
    detached: true,
  });
  // Signals the whole process group: npm does not pass a signal on to the program that its shell runs.
  const stop = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM");
  };
  const timeLimit = setTimeout(stop, readyWithinMs);
  signal.addEventListener("abort", stop);
  let readyMs: number | undefined;
  try {
    for await (const line of child.iterable({ from: "all" })) {
      if (!line.includes(readyText)) continue;
      readyMs = performance.now() - startedAt;
      stop();
    }
  } finally {
    clearTimeout(timeLimit);
    signal.removeEventListener("abort", stop);
    await child;
  }
  signal.throwIfAborted();
  if (readyMs === undefined) throw new Error(`npm start did not become ready:\n${(await child).all}`);
  return readyMs;
}
