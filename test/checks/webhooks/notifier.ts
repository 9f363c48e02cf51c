import { runService } from "#shared/lifecycle/run-service.ts";
import { notifierConfig } from "../../../services/notifier/config.ts";
import { run } from "../../../services/notifier/run.ts";
import { notifierOverrides } from "./notifier-task.ts";

// Starts as services/notifier/main.ts does, but with the overrides of the task in its environment (notifier-task.ts).
await runService("notifier", notifierConfig.load, (config, logger) =>
  run(config, logger, notifierOverrides(process.env)),
);
