import { createHash } from "node:crypto";
import { Binary } from "mongodb";
import type { Clock } from "#shared/time/clock.ts";
import type { DeliveryRequest } from "../../deliveries/delivery.ts";
import type { Quarantine, QuarantinedMessage, UndeliverableMessage } from "../../deliveries/quarantine.ts";
import type { Collections } from "../documents/collections.ts";
import { databaseCall } from "../driver/database-error.ts";
import { limited } from "../driver/time-limits.ts";
import { unclaimedRequestOf } from "./outbox-requests.ts";

/** Implements Quarantine with MongoDB. */
export class MongoQuarantine implements Quarantine {
  readonly #collections: Pick<Collections, "quarantine" | "outbox">;
  readonly #clock: Clock;

  constructor(collections: Pick<Collections, "quarantine" | "outbox">, clock: Clock) {
    this.#collections = collections;
    this.#clock = clock;
  }

  async keep({ subject, sequence, messageId, data, problem }: UndeliverableMessage): Promise<void> {
    const hash = createHash("sha256").update(`${subject} ${sequence} `).update(data).digest("hex");
    const at = new Date(this.#clock.now());
    const $setOnInsert = { subject, messageId, data: new Binary(data), problem, at };
    await databaseCall(() =>
      this.#collections.quarantine.updateOne({ _id: hash }, { $setOnInsert }, { ...limited, upsert: true }),
    );
  }

  async findEvent(eventId: string): Promise<DeliveryRequest | undefined> {
    const entry = await databaseCall(() => this.#collections.outbox.findOne({ _id: eventId }, limited));
    if (entry === null) return undefined;
    return unclaimedRequestOf(entry);
  }

  newest(countMax: number): Promise<QuarantinedMessage[]> {
    return databaseCall(() =>
      this.#collections.quarantine
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
