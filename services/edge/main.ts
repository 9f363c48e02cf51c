import { runService } from "#shared/lifecycle/run-service.ts";
import { edgeConfig } from "./config.ts";
import { run } from "./run.ts";

await runService("edge", edgeConfig.load, run);
