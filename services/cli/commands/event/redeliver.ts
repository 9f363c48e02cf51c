import type { DeliverySelection } from "#shared/webhook/delivery-selection.ts";
import { defineCommand } from "../../command/command.ts";
import {
  type IdempotencyKeyOption,
  withIdempotencyKey,
  withYes,
  type YesOption,
} from "../../command/common-options.ts";
import { UsageError } from "../../output/usage-error.ts";
import { followDelivery } from "./follow-delivery.ts";
import { redeliverRange, seriesKeyMax } from "./redeliver-range.ts";
import { withSelection } from "./selection.ts";

export const eventRedeliver = defineCommand<IdempotencyKeyOption & DeliverySelection & YesOption>({
  name: "event redeliver",
  changes: "store",
  description:
    "send an event again, with a new delivery id and the certificate's current state, and print the outcome; " +
    "exit code 1 unless the message was delivered. With --since instead of an id: send all events that the options " +
    "select, oldest first, at a pace that does not delay new events; without --yes, only count them",
  configure: (command) =>
    withYes(
      withSelection(
        withIdempotencyKey(
          command.argument("[event id]", "evt_…, shown by 'certctl event list' or 'certctl certificate history'"),
        ),
      ),
    ),
  async run({ selectStore, output, options, args: [eventId = ""] }) {
    const { idempotencyKey = "", yes = false, event, certificate, outcome, since, until } = options;
    const isRange = [event, certificate, outcome, since, until].some((option) => option !== undefined);
    if (eventId !== "" && isRange) throw new UsageError("Give either an event id or options that select events.");
    if (eventId === "" && since === undefined)
      throw new UsageError("Give an event id, or --since to send all events from a time on.");
    if (isRange && idempotencyKey.length > seriesKeyMax)
      throw new UsageError(`With --since, --idempotency-key can have at most ${seriesKeyMax} characters.`);
    const store = await selectStore();
    if (isRange) return redeliverRange(store, output, { selection: options, idempotencyKey, isConfirmed: yes });
    const { deliveryId } = await store.deliveries.redeliverEvent({ eventId, idempotencyKey });
    await followDelivery(store, deliveryId, output);
  },
});
