/**
 * Runs one certctl command after the other in one process, whose modules are loaded once: a program of its own would
 * spend most of its time starting. The parent sends a {@link CertctlRequest} for each run and receives a
 * {@link CertctlRun}.
 */
import { setTimeout as delay } from "node:timers/promises";
import { buildCertctl } from "../../../services/cli/certctl.ts";
import { reportError } from "../../../services/cli/output/report-error.ts";
import type { CertctlRequest, CertctlRun } from "./certctl-processes.ts";

// A program of its own would not exit while such a resource is open.
const exitsWithinMs = 60_000;

/** Returns the open resources beyond those that were open before. */
function openedSince(before: readonly string[]): string[] {
  const known = [...before];
  return process.getActiveResourcesInfo().filter((resource) => {
    const index = known.indexOf(resource);
    if (index !== -1) known.splice(index, 1);
    return index === -1;
  });
}

/** Collects what is written to a stream. @returns a function that ends it and returns the text */
function capture(stream: NodeJS.WriteStream): () => string {
  const { write } = stream;
  let text = "";
  stream.write = (chunk: Uint8Array | string, ...rest: unknown[]) => {
    text += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
    const done = rest.at(-1);
    if (typeof done === "function") process.nextTick(done);
    return true;
  };
  return () => {
    stream.write = write;
    return text;
  };
}

async function run({ args, env }: CertctlRequest): Promise<CertctlRun> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.exitCode = undefined;
  const before = process.getActiveResourcesInfo();
  const [out, error] = [capture(process.stdout), capture(process.stderr)];
  const isJson = args.includes("--json");
  try {
    await (await buildCertctl(args)).parseAsync([...args], { from: "user" });
  } catch (failure) {
    reportError(failure, isJson);
  }
  const deadline = performance.now() + exitsWithinMs;
  while (openedSince(before).length > 0 && performance.now() < deadline) await delay(2);
  const ended = { code: Number(process.exitCode ?? 0), out: out(), error: error() };
  const open = openedSince(before);
  if (open.length > 0) throw new Error(`certctl ${args.join(" ")} does not exit: ${open.join()} is open`);
  return ended;
}

process.on("message", async (request: CertctlRequest) => {
  process.send?.(await run(request));
});
