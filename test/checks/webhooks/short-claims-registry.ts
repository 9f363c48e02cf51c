import { runService } from "#shared/lifecycle/run-service.ts";
import { createLogger } from "#shared/observe/logger.ts";
import { registryConfig } from "../../../services/registry/config.ts";
import { startRegistry } from "../../../services/registry/run.ts";

/** The registry as services/registry/main.ts starts it, but for the life of a claim. */
const logger = createLogger("registry", process.env.REGISTRY_LOG_LEVEL);
const claimLifeMs = Number(process.env.CHECK_CLAIM_LIFE_MS);

await runService(logger, () => startRegistry(registryConfig(process.env), logger, { claimLifeMs }));
