/**
 * Preloaded into a service that is profiled. SIGUSR2 starts the CPU profiler; the next SIGUSR2 stops it and writes the
 * profile to the path in PROFILE_FILE. Unlike with `node --cpu-prof`, the profile excludes the service's start.
 */
import { writeFileSync } from "node:fs";
import { Session } from "node:inspector";

const samplingMicros = 500;
const file = process.env.PROFILE_FILE ?? "";
const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.setSamplingInterval", { interval: samplingMicros });

let isProfiling = false;
process.on("SIGUSR2", () => {
  isProfiling = !isProfiling;
  if (isProfiling) session.post("Profiler.start");
  else session.post("Profiler.stop", (error, result) => writeFileSync(file, JSON.stringify(error ?? result.profile)));
});
