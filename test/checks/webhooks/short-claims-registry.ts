import { runService } from "#shared/lifecycle/run-service.ts";
import { registryConfig } from "../../../services/registry/config.ts";
import { run } from "../../../services/registry/run.ts";

const claimLifeMs = Number(process.env.CHECK_CLAIM_LIFE_MS);

// Starts like services/registry/main.ts, but claims expire after CHECK_CLAIM_LIFE_MS.
await runService("registry", registryConfig.load, (config, logger) => run(config, logger, { claimLifeMs }));
