import { runService } from "#shared/lifecycle/run-service.ts";
import { createLogger } from "#shared/observe/logger.ts";
import { notifierConfig } from "./config.ts";
import { startNotifier } from "./run.ts";

const { NOTIFIER_LOG_LEVEL } = process.env;
const logger = createLogger("notifier", NOTIFIER_LOG_LEVEL);

await runService(logger, () => startNotifier(notifierConfig(process.env), logger));
