import type { ClientSession } from "mongodb";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { advanceClock } from "../../../services/registry/mongo/certificates/store-clock.ts";
import { timeInThePast } from "./baseline-time.ts";
import { eventDocuments } from "./event.ts";
import type { BaselineDatabase } from "./open-baseline.ts";

/** A certificate to transfer. */
export interface Target {
  readonly storeId: string;
  readonly certificateId: string;
}

const oneTimestamp = { timestamps: 1, serials: 0 };

/**
 * Sends the commands of the registry's transaction for a transfer, in the same order and with documents of the same
 * structure: advance the clock, read the certificate, replace it, insert the outbox entry and the history entry. Omits
 * the registry's checks and the response. Uses one driver call per document; the registry sends its writes in one
 * `bulkWrite` where the server supports it.
 */
export async function runTransfer(
  { collections }: Pick<BaselineDatabase, "collections">,
  { storeId: store, certificateId: certificate }: Target,
  ownerEmail: string,
  session: ClientSession,
): Promise<void> {
  const { clock: at } = await advanceClock(collections.stores, store, oneTimestamp, timeInThePast, session);
  const filter = { _id: { $in: [certificate] }, store };
  const [found] = await collections.certificates.find(filter, { session }).toArray();
  if (found === undefined) throw new Error(`certificate ${certificate} does not exist`);
  const owner = { name: found.owner.name, email: ownerEmail };
  const replacement = { ...found, owner, ownerEmailKey: ownerEmail, updatedAt: at };
  await collections.certificates.replaceOne({ _id: certificate, store }, replacement, { session });
  const { outbox, history } = eventDocuments({ store, certificate, at }, EventType.TRANSFERRED);
  await collections.outbox.insertOne(outbox, { session });
  await collections.history.insertOne(history, { session });
}
