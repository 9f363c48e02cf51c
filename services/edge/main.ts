import { runService } from "#shared/lifecycle/run-service.ts";
import { createLogger } from "#shared/observe/logger.ts";
import { loadEdgeConfig } from "./config.ts";
import { run } from "./run.ts";

const logger = createLogger("edge");
await runService(logger, async () => run(loadEdgeConfig(process.env), logger));
