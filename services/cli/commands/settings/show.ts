import { EditionStyle, OwnerDisplay, Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { defineCommand } from "../../command/command.ts";
import { enumName } from "../../command/enum-names.ts";
import { webhookDocument, webhookLines } from "../webhook/format.ts";
import { storeDocument } from "./format.ts";

export const settingsShow = defineCommand({
  name: "settings show",
  changes: "nothing",
  description: "print the store's domain and id, its plan, its settings and its webhook, one per line",
  async run({ selectStore, output }) {
    const { stores } = await selectStore();
    const [{ store }, { webhook }] = await Promise.all([stores.getStore({}), stores.getWebhook({})]);
    if (store === undefined) return;
    const [webhookLine = "", ...secretLines] = webhookLines(webhook);
    const lines = [
      ["store", `${store.shop} (${store.id})`],
      ["plan", enumName(Plan, store.plan)],
      ["edition style", enumName(EditionStyle, store.editionStyle).replaceAll("_", "-")],
      ["verify base URL", store.verifyBaseUrl || "the service's own address"],
      ["language", store.language],
      ["display name", store.displayName || "the store's domain"],
      ["owner display", enumName(OwnerDisplay, store.ownerDisplay)],
      ["webhook", webhookLine],
      ...secretLines.map((line) => ["", line]),
    ] as const;
    const text = lines.map(([name = "", value = ""]) => `${name.padEnd(15)}  ${value}`);
    output.result({ ...storeDocument(store), webhook: webhookDocument(webhook) }, ...text);
  },
});
