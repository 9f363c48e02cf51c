import { runService } from "#shared/lifecycle/run-service.ts";
import { createLogger } from "#shared/observe/logger.ts";
import { notifierConfig } from "../../../services/notifier/config.ts";
import { startNotifier } from "../../../services/notifier/run.ts";
import { notifierOverrides } from "./notifier-task.ts";

/** The notifier as services/notifier/main.ts starts it, but for what the check wants of it. */
const logger = createLogger("notifier", process.env.NOTIFIER_LOG_LEVEL);

await runService(logger, () =>
  startNotifier(notifierConfig(process.env), logger, notifierOverrides(process.env)),
);
