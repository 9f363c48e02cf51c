import { runService } from "#shared/lifecycle/run-service.ts";
import { notifierConfig } from "./config.ts";
import { run } from "./run.ts";

await runService("notifier", notifierConfig.load, run);
