import { readFile, rm } from "node:fs/promises";
import { until } from "../../../deploy/local/servers/until.ts";
import { createTemporaryFolder } from "../../harness/files/temporary-folder.ts";
import { type StackVariables, startBenchStack } from "../bench-stack.ts";
import { cpuMsOf } from "../process-cpu.ts";
import { type CpuProfile, cpuProfile } from "./cpu-profile.ts";
import type { PathName, ProfileOptions } from "./options.ts";
import type { ProfiledWork } from "./profile-text.ts";
import { profiledPaths } from "./profiled-paths.ts";

/** A service's profile and the work that the service did while it was profiled. */
interface RecordedProfile {
  readonly service: string;
  readonly profile: CpuProfile;
  readonly work: ProfiledWork;
}

const preload = import.meta.resolve("./record-profile.ts");
const writtenWithinMs = 60_000;

/** Profiles the services of a path under the benchmark's load, after a warm-up of the same length. */
export async function recordPath(
  name: PathName,
  options: ProfileOptions,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<RecordedProfile[]> {
  const path = profiledPaths[name];
  await using closing = new AsyncDisposableStack();
  const folder = closing.use(await createTemporaryFolder("bench-profile"));
  const fileOf = (service: string) => `${folder.path}/${service}.cpuprofile`;
  const variablesOf = (service: string) => ({ NODE_OPTIONS: `--import=${preload}`, PROFILE_FILE: fileOf(service) });
  const variables: StackVariables = Object.fromEntries(path.services.map((service) => [service, variablesOf(service)]));
  const stack = await startBenchStack(options, signal, log, variables);
  closing.defer(() => stack.close());
  const side = await path.open(stack, options.stores);
  const durationMs = 1_000 * Math.min(options.seconds, path.secondsMax ?? options.seconds);
  log(`${name}: warming up …`);
  await side.prepare?.(durationMs);
  await side.round(durationMs);
  await side.settle?.();
  log(`${name}: profiling for ${durationMs / 1_000} s …`);
  await side.prepare?.(durationMs);
  const pids = path.services.map((service) => (service === "edge" ? stack.edge.pid : stack.pids[service]));
  const toggle = () => pids.forEach((pid) => void process.kill(pid, "SIGUSR2"));
  const before = await Promise.all(pids.map(cpuMsOf));
  toggle();
  const { units: count } = await side.round(durationMs);
  const after = await Promise.all(pids.map(cpuMsOf));
  toggle();
  const recorded: RecordedProfile[] = [];
  for (const [index, service] of path.services.entries()) {
    const cpuMicros = 1_000 * ((after[index] ?? Number.NaN) - (before[index] ?? Number.NaN));
    const profile = await readProfile(fileOf(service));
    recorded.push({ service, profile, work: { count, unit: path.unit, cpuMicros } });
  }
  return recorded;
}

/** Waits until a profile is complete, reads it and deletes its file. */
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
