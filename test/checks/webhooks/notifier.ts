import { runService } from "#shared/lifecycle/run-service.ts";
import { loadConfig } from "../../../services/notifier/config.ts";
import { run } from "../../../services/notifier/run.ts";
import { notifierOverrides } from "./notifier-task.ts";

// The notifier as services/notifier/main.ts starts it, with what the check's task replaces.
await runService("notifier", loadConfig, (config, logger) =>
  run(config, logger, notifierOverrides(process.env)),
);
