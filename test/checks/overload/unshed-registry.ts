import { runService } from "#shared/lifecycle/run-service.ts";
import { loadConfig } from "../../../services/registry/config.ts";
import { run } from "../../../services/registry/run.ts";

// Starts like services/registry/main.ts, but the places of failed requests remain used.
await runService("registry", loadConfig, (config, logger) =>
  run(config, logger, { admissionPlaces: { returnPlaces: async (_keyHash, ids) => ids } }),
);
