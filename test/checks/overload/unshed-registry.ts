import { runService } from "#shared/lifecycle/run-service.ts";
import { registryConfig } from "../../../services/registry/config.ts";
import { run } from "../../../services/registry/run.ts";

// Starts like services/registry/main.ts, but counts failed requests against the rate limit.
await runService("registry", registryConfig.load, (config, logger) =>
  run(config, logger, { admissionPlaces: { returnPlaces: async (_keyHash, ids) => ids } }),
);
