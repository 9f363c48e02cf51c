import { runService } from "#shared/lifecycle/run-service.ts";
import { loadConfig } from "./config.ts";
import { run } from "./run.ts";

await runService("registry", loadConfig, run);
