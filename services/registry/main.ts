import { runService } from "#shared/lifecycle/run-service.ts";
import { registryConfig } from "./config.ts";
import { run } from "./run.ts";

await runService("registry", registryConfig.load, run);
