import { defineCommand } from "./command.ts";
import { type IdempotencyKeyOption, withIdempotencyKey } from "./common-options.ts";
import { followDelivery } from "./follow-delivery.ts";

/** `certctl webhook test` */
export const webhookTest = defineCommand<IdempotencyKeyOption>({
  name: "webhook test",
  changes: "store",
  description:
    "send a test message about a sample certificate and print the outcome; " +
    "exit code 1 unless the message was delivered",
  configure: withIdempotencyKey,
  async run({ client, storeId, output, options: { idempotencyKey = "" } }) {
    const id = await storeId();
    const { deliveryId } = await client.deliveries.sendTestMessage({ storeId: id, idempotencyKey });
    await followDelivery(client, id, deliveryId, output);
  },
});
