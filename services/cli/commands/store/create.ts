import { Option } from "commander";
import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { ServiceError } from "#shared/errors/service-error.ts";
import { reason } from "#shared/reasons/reason.ts";
import { defineCommand } from "../../command/command.ts";
import { enumChoices } from "../../command/enum-names.ts";
import { findStoreByDomain } from "../../registry-client/choose-store.ts";
import { type SettingsOptions, settingsFields, storeDocument, withSettings } from "../settings/format.ts";

const plans = enumChoices(Plan);

export const storeCreate = defineCommand<SettingsOptions & { readonly plan: string }>({
  name: "store create",
  changes: "registry",
  description: "create a store and print its id; exit code 1 if a store with this domain already exists",
  configure: (command) =>
    withSettings(
      command
        .argument("<domain>", "domain of the store on the storefront platform")
        .addOption(new Option("--plan <plan>").choices([...plans.keys()]).default("basic")),
      {
        editionStyle: "default: number-total",
        verifyBaseUrl: "default: the service's own verification pages",
        language: "default: en",
        displayName: "default: the store's domain",
        ownerDisplay: "default: nothing",
      },
    ),
  async run({ client, output, options, args: [shop = ""] }) {
    const existing = await findStoreByDomain(client, shop);
    if (existing !== undefined) throw new ServiceError("conflict", reason("store_exists", { shop, id: existing.id }));
    const plan = plans.get(options.plan) ?? Plan.UNSPECIFIED;
    const { store } = await client.stores.createStore({ shop, plan, ...settingsFields(options) });
    if (store !== undefined) output.result(storeDocument(store), store.id);
  },
});
