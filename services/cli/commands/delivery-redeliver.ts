import { defineCommand } from "./command.ts";
import { type IdempotencyKeyOption, withIdempotencyKey } from "./common-options.ts";
import { followDelivery } from "./follow-delivery.ts";

/** `certctl delivery redeliver <event id>` */
export const deliveryRedeliver = defineCommand<IdempotencyKeyOption>({
  name: "delivery redeliver",
  changes: "store",
  description:
    "send an event again, with a new delivery id and the certificate's current state, and print the outcome; " +
    "exit code 1 unless the message was delivered",
  configure: (command) =>
    withIdempotencyKey(
      command.argument("<event id>", "evt_…, shown by 'certctl delivery list' or 'certctl certificate history'"),
    ),
  async run({ client, storeId, output, options: { idempotencyKey = "" }, args: [eventId = ""] }) {
    const id = await storeId();
    const { deliveryId } = await client.deliveries.redeliverEvent({ storeId: id, eventId, idempotencyKey });
    await followDelivery(client, id, deliveryId, output);
  },
});
