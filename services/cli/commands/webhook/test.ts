import { defineCommand } from "../../command/command.ts";
import { type IdempotencyKeyOption, withIdempotencyKey } from "../../command/common-options.ts";
import { followDelivery } from "../event/follow-delivery.ts";

export const webhookTest = defineCommand<IdempotencyKeyOption>({
  name: "webhook test",
  changes: "store",
  description:
    "send a test message about a sample certificate and print the outcome; " +
    "exit code 1 unless the message was delivered",
  configure: withIdempotencyKey,
  async run({ selectStore, output, options: { idempotencyKey = "" } }) {
    const store = await selectStore();
    const { deliveryId } = await store.deliveries.sendTestMessage({ idempotencyKey });
    await followDelivery(store, deliveryId, output);
  },
});
