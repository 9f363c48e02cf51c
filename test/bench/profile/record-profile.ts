import { writeFileSync } from "node:fs";
import { Session } from "node:inspector";

/**
 * Preloaded into a service that is profiled. SIGUSR2 starts the CPU profiler; the next SIGUSR2 stops it and writes the
 * profile to the file PROFILE_FILE. Unlike `node --cpu-prof`, it leaves out the start of the service.
 */
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
