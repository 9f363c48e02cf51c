import { subscribe } from "node:diagnostics_channel";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { runService } from "#shared/lifecycle/run-service.ts";
import { loadConfig } from "../../../services/registry/config.ts";
import { run } from "../../../services/registry/run.ts";
import { storefrontStepChannel, storefrontSteps } from "../../../services/registry/storefront/storefront-steps.ts";

/** Path of the file that names the step at which the registry deletes this file and then kills itself. */
const planFile = process.env.TEST_KILL_PLAN_FILE ?? "";

for (const step of storefrontSteps)
  subscribe(storefrontStepChannel(step), () => {
    if (!existsSync(planFile) || readFileSync(planFile, "utf8") !== step) return;
    rmSync(planFile);
    process.kill(process.pid, "SIGKILL");
  });

// Starts like services/registry/main.ts.
await runService("registry", loadConfig, run);
