import type { ClientSession } from "mongodb";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { advanceClock } from "../../../services/registry/mongo/store-clock.ts";
import { bareEvent } from "./bare-event.ts";
import type { BareDatabase } from "./open-bare.ts";

/** A certificate that can be transferred. */
export interface Target {
  readonly storeId: string;
  readonly certificateId: string;
}

const oneTimestamp = { timestamps: 1, serials: 0 };

/**
 * What the registry's transaction for one transfer does, in its order, with documents of the same shape: clock,
 * certificate read, certificate replaced, outbox, history. Nothing is decided or rendered. The plain loop uses the driver's
 * everyday calls, one for each document; the registry sends its writes in one `bulkWrite` where the server has it.
 */
export async function bareTransfer(
  { collections }: Pick<BareDatabase, "collections">,
  { storeId: store, certificateId: certificate }: Target,
  ownerEmail: string,
  session: ClientSession,
): Promise<void> {
  const { clock: at } = await advanceClock(collections.stores, store, oneTimestamp, () => "$$NOW", session);
  const filter = { _id: { $in: [certificate] }, store };
  const [found] = await collections.certificates.find(filter, { session }).toArray();
  if (found === undefined) throw new Error(`there is no certificate ${certificate}`);
  const owner = { name: found.owner.name, email: ownerEmail };
  const replacement = { ...found, owner, ownerEmailKey: ownerEmail, updatedAt: at };
  await collections.certificates.replaceOne({ _id: certificate, store }, replacement, { session });
  const { outbox, history } = bareEvent({ store, certificate, at }, EventType.TRANSFERRED);
  await collections.outbox.insertOne(outbox, { session });
  await collections.history.insertOne(history, { session });
}
