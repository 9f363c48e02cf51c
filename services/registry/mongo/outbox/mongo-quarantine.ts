import { createHash } from "node:crypto";
import { Binary, type ClientSession, type MongoClient } from "mongodb";
import type { Clock } from "#shared/time/clock.ts";
import type { DeliveryRequest } from "../../deliveries/delivery.ts";
import {
  isDeliveryId,
  type Quarantine,
  type QuarantinedMessage,
  type UndeliverableMessage,
} from "../../deliveries/quarantine.ts";
import type { Collections } from "../documents/collections.ts";
import { databaseCall } from "../driver/database-error.ts";
import { type RetryOptions, runTransaction } from "../driver/run-transaction.ts";
import { limited } from "../driver/time-limits.ts";
import { unclaimedRequestOf } from "./outbox-requests.ts";

interface MongoQuarantineDeps {
  readonly client: MongoClient;
  readonly collections: Pick<Collections, "quarantine" | "outbox">;
  readonly clock: Clock;
  /** See {@link RetryOptions.onSession}. */
  readonly onSession?: RetryOptions["onSession"];
}

/** Implements Quarantine with MongoDB. */
export class MongoQuarantine implements Quarantine {
  readonly #deps: MongoQuarantineDeps;

  constructor(deps: MongoQuarantineDeps) {
    this.#deps = deps;
  }

  keep({ subject, sequence, messageId, data, problem }: UndeliverableMessage): Promise<DeliveryRequest | undefined> {
    const { client, collections, clock, onSession } = this.#deps;
    const hash = createHash("sha256").update(`${subject} ${sequence} `).update(data).digest("hex");
    const at = new Date(clock.now());
    const $setOnInsert = { subject, messageId, data: new Binary(data), problem, at };
    const work = async (session: ClientSession) => {
      // A write, so that the entry is deleted either before this transaction, or after it has stored the message.
      const entry = await collections.outbox.findOneAndUpdate(
        { _id: messageId },
        { $inc: { quarantines: 1 } },
        { session },
      );
      if (entry === null && isDeliveryId(messageId)) return { commit: false, value: undefined };
      await collections.quarantine.updateOne({ _id: hash }, { $setOnInsert }, { session, upsert: true });
      return { commit: true, value: entry === null ? undefined : unclaimedRequestOf(entry) };
    };
    return databaseCall(() => runTransaction(client, work, { onSession }));
  }

  newest(countMax: number): Promise<QuarantinedMessage[]> {
    return databaseCall(() =>
      this.#deps.collections.quarantine
        .find({}, limited)
        .sort({ at: -1 })
        .limit(countMax)
        .map(({ at, data, subject, messageId, problem }) => ({
          quarantinedAt: at,
          subject,
          messageId,
          problem,
          data: data.value(),
        }))
        .toArray(),
    );
  }
}
