import type { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { ServiceError } from "#shared/errors/service-error.ts";
import type { StoreChange } from "../stores/store-history.ts";

/** The formats of a trigger's messages. */
export type TriggerFormat = "cloudevents" | "profile";

/** Maximum number of triggers of a store, disabled ones included. */
export const triggersMax = 10;

/** How long the previous secret also signs messages after a rotation, in milliseconds. */
export const previousSecretLifeMs = 86_400_000;

/** Why a trigger is disabled. `failing`: no delivery within the retry horizon; `gone`: the receiver replied 410. */
export type DisabledCause = "requested" | "failing" | "gone";

/** When and why a trigger was disabled. */
export interface Disabled {
  readonly at: Date;
  readonly cause: DisabledCause;
  /** The reason of the last failed attempt, for the merchant; empty if someone disabled the trigger. */
  readonly reason: string;
}

/** A workflow trigger, without its secrets. */
export interface Trigger {
  readonly id: string;
  readonly url: string;
  readonly format: TriggerFormat;
  /** Empty: all events. */
  readonly events: readonly EventType[];
  readonly createdAt: Date;
  /** Null: enabled. */
  readonly disabled: Disabled | null;
  /** When the first attempt failed since the last delivery; null if no attempt has failed since. */
  readonly failingSince: Date | null;
  readonly lastDeliveredAt: Date | null;
  readonly waitingCount: number;
  readonly secretCreatedAt: Date;
  /** Until when the previous secret also signs messages, possibly a past time; null before the first rotation. */
  readonly previousSecretUntil: Date | null;
}

/** A trigger to store. */
export type NewTrigger = Pick<Trigger, "url" | "format" | "events"> & { readonly secret: string };

/**
 * Storage of triggers; secrets are encrypted at rest. The transaction of a change also writes the store's history and
 * the store's list of enabled triggers, which changes of certificates read to queue their events. Methods throw
 * ServiceError `not_found` for an unknown trigger, and `unavailable` when the database is unavailable.
 */
export interface Triggers {
  /** @throws ServiceError `not_found`; `failed_precondition` for a store that has {@link triggersMax} triggers */
  create(storeId: string, trigger: NewTrigger, change: StoreChange): Promise<Trigger>;
  /** Returns a store's triggers, oldest first. */
  list(storeId: string): Promise<Trigger[]>;
  find(storeId: string, triggerId: string): Promise<Trigger>;
  /** Deletes a trigger with its waiting events and its log. */
  delete(storeId: string, triggerId: string, change: StoreChange): Promise<void>;
  /** Makes the waiting events due at once, with a new retry horizon. No effect on an enabled trigger. */
  enable(storeId: string, triggerId: string, change: StoreChange): Promise<Trigger>;
  /** No effect on a disabled trigger. */
  disable(storeId: string, triggerId: string, disabled: Disabled, change: StoreChange): Promise<Trigger>;
  /** Replaces the active secret, which continues to sign messages until `previousUntil`. */
  rotateSecret(
    storeId: string,
    triggerId: string,
    rotation: { readonly secret: string; readonly previousUntil: Date },
    change: StoreChange,
  ): Promise<Trigger>;
  /**
   * Re-encrypts the secrets of the triggers of a range of stores with the newest key.
   *
   * @param range stores after the first id, up to and including the last one
   * @returns the ids of the stores with re-encrypted and with unreadable secrets
   */
  resealSecrets(range: {
    readonly after: string;
    readonly last: string;
  }): Promise<{ readonly resealed: ReadonlySet<string>; readonly unreadable: ReadonlySet<string> }>;
}

/** Returns the error for an unknown trigger, including a trigger of another store. */
export function triggerNotFound(): ServiceError {
  return new ServiceError("not_found", "The store has no such trigger.");
}

/** Returns whether a trigger receives an event. */
export function selects({ events }: { readonly events: readonly number[] }, type: EventType): boolean {
  return events.length === 0 || events.includes(type);
}
