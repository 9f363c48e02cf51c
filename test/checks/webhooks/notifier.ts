import { runService } from "#shared/lifecycle/run-service.ts";
import { loadConfig } from "../../../services/notifier/config.ts";
import { run } from "../../../services/notifier/run.ts";
import { notifierOverrides } from "./notifier-task.ts";

// Starts like services/notifier/main.ts, with the replacements of its task.
await runService("notifier", loadConfig, (config, logger) => run(config, logger, notifierOverrides(process.env)));
