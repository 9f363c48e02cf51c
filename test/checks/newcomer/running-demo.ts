import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { z } from "zod";
import { freePort } from "../../../deploy/local/servers/free-port.ts";
import { eventually } from "../../harness/eventually.ts";

const readyText = "The certificate registry is ready.";
// A first start may download MongoDB.
const readyWithinMs = 10 * 60_000;
const stopWithinMs = 60_000;
const factsSchema = z.object({
  base_url: z.string(),
  api_key: z.string(),
  database_server: z.string(),
  demo_shop_url: z.string(),
  log_folder: z.string(),
});

/** One run of `npm start`. */
export interface RunningDemo {
  /** What the run's `demo.json` says. */
  readonly facts: z.output<typeof factsSchema>;
  /** Returns what `npm start` has printed so far. */
  output(): string;
  /**
   * Presses Ctrl-C: sends SIGINT to all processes of the terminal, npm included.
   *
   * @throws Error when `npm start` does not exit as documented, or naming each process that remains
   */
  interrupt(): Promise<void>;
  /** Ends the processes that `npm start` has started in its terminal, which then end the servers. */
  kill(): void;
}

/**
 * Runs `npm start` in a checkout until it is ready.
 *
 * @param env its XDG_CACHE_HOME must be unique: it identifies the processes of this run
 * @throws Error with the output when it exits, or ten minutes pass, before it is ready
 */
export async function startDemo(folder: string, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<RunningDemo> {
  const args = ["start", "--"];
  for (const name of ["--port", "--registry-port", "--receiver-port", "--shop-port"])
    args.push(name, String(await freePort()));
  const options = { cwd: folder, env, extendEnv: false, reject: false, all: true, detached: true } as const;
  const child = execa("npm", args, { ...options, stdin: "ignore", buffer: false });
  let text = "";
  child.all.on("data", (chunk: Buffer) => {
    text += chunk.toString("utf8");
  });
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  const signalAll = (name: NodeJS.Signals) => {
    if (child.pid === undefined || hasExited()) return;
    try {
      process.kill(-child.pid, name);
    } catch {
      // The processes have exited in the meantime.
    }
  };
  const kill = () => signalAll("SIGKILL");
  try {
    await eventually(
      () => {
        if (hasExited() || signal.aborted) return;
        if (!text.includes(readyText)) throw new Error(`npm start is not ready:\n${text}`);
      },
      { withinMs: readyWithinMs, everyMs: 100 },
    );
    signal.throwIfAborted();
    if (!text.includes(readyText)) throw new Error(`npm start exited with code ${child.exitCode}:\n${text}`);
    const facts = factsSchema.parse(JSON.parse(await readFile(path.join(folder, ".data/demo.json"), "utf8")));
    const interrupt = async () => {
      signalAll("SIGINT");
      await eventually(
        () => {
          if (!hasExited()) throw new Error(`npm start still runs a minute after Ctrl-C:\n${text.slice(-2_000)}`);
        },
        { withinMs: stopWithinMs, everyMs: 100 },
      );
      // npm ends itself with the signal that has ended the shell of its script.
      if (child.exitCode !== 0 && child.exitCode !== 130 && child.signalCode !== "SIGINT")
        throw new Error(`npm start exited with ${child.exitCode ?? child.signalCode}:\n${text.slice(-2_000)}`);
      if (!text.trimEnd().endsWith("Stopped."))
        throw new Error(`npm start has not stopped its parts:\n${text.slice(-2_000)}`);
      // The shells that guard the servers exit a moment after them.
      await eventually(() => requireNoProcess(`XDG_CACHE_HOME=${env.XDG_CACHE_HOME}`));
    };
    return { facts, output: () => text, interrupt, kill };
  } catch (error) {
    kill();
    throw error;
  }
}

/** Throws an Error that names each process with this variable in its environment. Only Linux shows environments. */
async function requireNoProcess(variable: string): Promise<void> {
  if (process.platform !== "linux") return;
  const names = await readdir("/proc");
  const remaining = await Promise.all(
    names.map(async (name) => {
      const read = (file: string) => readFile(`/proc/${name}/${file}`, "utf8").catch(() => "");
      if (!/^\d+$/.test(name) || !(await read("environ")).split("\0").includes(variable)) return [];
      return [`${name}: ${(await read("cmdline")).replaceAll("\0", " ")}`];
    }),
  );
  const lines = remaining.flat();
  if (lines.length > 0) throw new Error(`These processes remain after Ctrl-C:\n${lines.join("\n")}`);
}
