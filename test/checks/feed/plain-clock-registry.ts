import { MongoClient } from "mongodb";
import { runService } from "#shared/lifecycle/run-service.ts";
import { createLogger } from "#shared/observe/logger.ts";
import { registryConfig } from "../../../services/registry/config.ts";
import { startRegistry } from "../../../services/registry/run.ts";
import { plainClock } from "./plain-clock.ts";

/** The registry as services/registry/main.ts starts it, but for its clock. */
const logger = createLogger("registry", process.env.REGISTRY_LOG_LEVEL);
const config = registryConfig(process.env);
const client = new MongoClient(config.REGISTRY_MONGODB_URI);

await runService(logger, () => startRegistry(config, logger, { advance: plainClock(client) }));
