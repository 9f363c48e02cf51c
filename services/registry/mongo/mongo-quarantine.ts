import { createHash } from "node:crypto";
import { Binary } from "mongodb";
import type { Clock } from "#shared/time/clock.ts";
import type { DeliveryRequest } from "../deliveries/delivery.ts";
import type { Quarantine, QuarantinedMessage, UnreadableMessage } from "../deliveries/quarantine.ts";
import type { Collections } from "./collections.ts";
import { databaseError } from "./database-error.ts";

const options = { maxTimeMS: 4_000 };

/** Quarantined messages in MongoDB. */
export class MongoQuarantine implements Quarantine {
  readonly #collections: Pick<Collections, "quarantine" | "outbox">;
  readonly #clock: Clock;

  constructor(collections: Pick<Collections, "quarantine" | "outbox">, clock: Clock) {
    this.#collections = collections;
    this.#clock = clock;
  }

  async keep({ subject, sequence, messageId, data, problem }: UnreadableMessage): Promise<void> {
    const hash = createHash("sha256").update(`${subject} ${sequence} `).update(data).digest("hex");
    const document = {
      subject,
      messageId,
      data: new Binary(data),
      problem,
      at: new Date(this.#clock.now()),
    };
    try {
      await this.#collections.quarantine.updateOne(
        { _id: hash },
        { $setOnInsert: document },
        { ...options, upsert: true },
      );
    } catch (error) {
      throw databaseError(error);
    }
  }

  async findEvent(eventId: string): Promise<DeliveryRequest | undefined> {
    try {
      const entry = await this.#collections.outbox.findOne({ _id: eventId }, options);
      if (entry === null) return undefined;
      return {
        eventId,
        storeId: entry.store,
        certificateId: entry.certificate,
        type: entry.type,
        requestedBy: "",
        queuedAt: entry.at,
      };
    } catch (error) {
      throw databaseError(error);
    }
  }

  async newest(countMax: number): Promise<QuarantinedMessage[]> {
    try {
      const found = this.#collections.quarantine.find({}, options).sort({ at: -1 }).limit(countMax);
      return (await found.toArray()).map(({ at, data, subject, messageId, problem }) => ({
        quarantinedAt: at,
        subject,
        messageId,
        problem,
        data: data.value(),
      }));
    } catch (error) {
      throw databaseError(error);
    }
  }
}
