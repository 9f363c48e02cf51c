import { readFile, rm } from "node:fs/promises";
import { until } from "../../../deploy/local/servers/until.ts";
import { createTemporaryFolder } from "../../harness/temporary-folder.ts";
import { type BenchStack, type StackVariables, startBenchStack } from "../bench-stack.ts";
import { type CpuProfile, cpuProfile } from "./cpu-profile.ts";
import type { PathName, ProfileOptions } from "./options.ts";
import { profiledPaths } from "./profiled-paths.ts";

/** The profiles of a path by service, and the units of work during the profiles. */
interface RecordedPath {
  readonly profiles: Readonly<Record<string, CpuProfile>>;
  readonly units: { readonly count: number; readonly name: string };
}

const preload = import.meta.resolve("./record-profile.ts");
const writtenWithinMs = 60_000;

/** Profiles the services of a path under the benchmark's load, after a warm-up of the same length. */
export async function recordPath(
  name: PathName,
  options: ProfileOptions,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<RecordedPath> {
  const path = profiledPaths[name];
  const folder = await createTemporaryFolder("bench-profile");
  const fileOf = (service: string) => `${folder.path}/${service}.cpuprofile`;
  const variablesOf = (service: string) => ({ NODE_OPTIONS: `--import=${preload}`, PROFILE_FILE: fileOf(service) });
  const variables: StackVariables = Object.fromEntries(path.services.map((service) => [service, variablesOf(service)]));
  const stack = await startBenchStack(options, signal, log, variables);
  try {
    const side = await path.open(stack, options.stores);
    const durationMs = options.seconds * 1_000;
    log(`${name}: warming up …`);
    await side.prepare?.(durationMs);
    await side.round(durationMs);
    await side.settle?.();
    log(`${name}: profiling for ${options.seconds} s …`);
    await side.prepare?.(durationMs);
    const toggle = () => path.services.forEach((service) => void process.kill(pidOf(stack, service), "SIGUSR2"));
    toggle();
    const { units } = await side.round(durationMs);
    toggle();
    const profiles: Record<string, CpuProfile> = {};
    for (const service of path.services) profiles[service] = await readProfile(fileOf(service));
    return { profiles, units: { count: units, name: path.unit } };
  } finally {
    await stack.close();
    await folder.remove();
  }
}

function pidOf({ edge, pids }: BenchStack, service: "edge" | "registry" | "notifier"): number {
  return service === "edge" ? edge.pid : pids[service];
}

/** Reads a profile once it is complete. */
async function readProfile(file: string): Promise<CpuProfile> {
  let profile: CpuProfile | undefined;
  await until(AbortSignal.timeout(writtenWithinMs), async () => {
    profile = cpuProfile.parse(JSON.parse(await readFile(file, "utf8")));
    return true;
  });
  await rm(file);
  if (profile === undefined) throw new Error("no profile was written");
  return profile;
}
