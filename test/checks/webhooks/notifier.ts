import { runService } from "#shared/lifecycle/run-service.ts";
import { loadConfig } from "../../../services/notifier/config.ts";
import { run } from "../../../services/notifier/run.ts";
import { notifierOverrides } from "./notifier-task.ts";

// Starts like services/notifier/main.ts, with the overrides of its task (see notifier-task.ts).
await runService("notifier", loadConfig, (config, logger) => run(config, logger, notifierOverrides(process.env)));
