import { runService } from "#shared/lifecycle/run-service.ts";
import { createLogger } from "#shared/observe/logger.ts";
import { registryConfig } from "./config.ts";
import { startRegistry } from "./run.ts";

const logger = createLogger("registry", process.env.REGISTRY_LOG_LEVEL);

await runService(logger, () => startRegistry(registryConfig(process.env), logger));
