import { MongoClient } from "mongodb";
import { runService } from "#shared/lifecycle/run-service.ts";
import { registryConfig } from "../../../services/registry/config.ts";
import { run } from "../../../services/registry/run.ts";
import { plainClock } from "./plain-clock.ts";

// Starts like services/registry/main.ts, with a store clock that breaks the order of the feed.
await runService("registry", registryConfig.load, (config, logger) =>
  run(config, logger, { advance: plainClock(new MongoClient(config.mongodbUri)) }),
);
