import { defineCommand } from "../../command/command.ts";
import { type IdempotencyKeyOption, withIdempotencyKey } from "../../command/common-options.ts";
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
  async run({ selectStore, output, options: { idempotencyKey = "" }, args: [eventId = ""] }) {
    const store = await selectStore();
    const { deliveryId } = await store.deliveries.redeliverEvent({ eventId, idempotencyKey });
    await followDelivery(store, deliveryId, output);
  },
});
