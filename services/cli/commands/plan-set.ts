import { Argument, type Command } from "commander";
import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { chooseStore } from "../registry-client/choose-store.ts";
import { print, runs } from "./command.ts";

/** `certctl plan set <plan>` */
export function addPlanSet(parent: Command): void {
  const command = parent
    .command("set")
    .description("put a store on a plan; the next API request sees it")
    .addArgument(new Argument("<plan>").choices(["basic", "pro"]));
  runs(command, async (client, { store }, [plan]) => {
    const storeId = await chooseStore(client, store);
    await client.stores.setPlan({ storeId, plan: plan === "pro" ? Plan.PRO : Plan.BASIC });
    print(`the plan is ${plan}`);
  });
}
