import type { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { Reason } from "#shared/reasons/reason.ts";
import type { StoreChange } from "../stores/store-history.ts";

/** The format of a trigger's messages: `cloudevents` for workflow tools, `profile` for mailing tools. */
export type TriggerFormat = "cloudevents" | "profile";

/** Maximum number of triggers of a store, disabled ones included. */
export const triggersMax = 10;

/** How long a replaced secret continues to sign messages, in milliseconds. */
export const previousSecretLifeMs = 86_400_000;

/**
 * Why a trigger is disabled. `requested`: DisableTrigger was called. `failing`: an event was given up at the retry
 * horizon, and no other event has been delivered since its first attempt. `gone`: the receiver replied 410.
 */
type DisabledCause = "requested" | "failing" | "gone";

/** When and why a trigger was disabled. */
export interface Disabled {
  readonly at: Date;
  readonly cause: DisabledCause;
  /** Why the last attempt failed; null if the cause is `requested`. */
  readonly reason: Reason | null;
}

/** A workflow trigger, without its secrets. */
export interface Trigger {
  readonly id: string;
  readonly url: string;
  readonly format: TriggerFormat;
  /** Empty if the trigger receives all events. */
  readonly events: readonly EventType[];
  readonly createdAt: Date;
  /** Null if the trigger is enabled. */
  readonly disabled: Disabled | null;
  /**
   * Time of the first failed attempt since the last delivery or, if later, since the trigger was created or enabled;
   * null if no attempt has failed since then. Failed tests and interrupted attempts do not count.
   */
  readonly failingSince: Date | null;
  readonly lastDeliveredAt: Date | null;
  /** Number of waiting events; counted only up to 10,000. */
  readonly waitingCount: number;
  readonly secretCreatedAt: Date;
  /**
   * When the most recently replaced secret stops signing messages, possibly a past time; null before the first
   * rotation. Secrets replaced before it stop earlier.
   */
  readonly previousSecretUntil: Date | null;
}

/** A trigger to store. */
export type NewTrigger = Pick<Trigger, "url" | "format" | "events"> & { readonly secret: string };

/**
 * Storage of triggers; secrets are encrypted at rest. The transaction of a change also writes the store's history and
 * keeps the store's list of enabled triggers current. Certificate changes read that list to queue their events. Methods
 * throw ServiceError `not_found` for an unknown trigger id, and `unavailable` when the database is unavailable.
 */
export interface Triggers {
  /**
   * @throws ServiceError `not_found` for an unknown store; `failed_precondition` for a store that has
   *   {@link triggersMax} triggers
   */
  create(storeId: string, trigger: NewTrigger, change: StoreChange): Promise<Trigger>;
  /** Returns a store's triggers, oldest first. */
  list(storeId: string): Promise<Trigger[]>;
  find(storeId: string, triggerId: string): Promise<Trigger>;
  /** Deletes a trigger with its waiting events and its log. */
  delete(storeId: string, triggerId: string, change: StoreChange): Promise<void>;
  /**
   * Enables a trigger. Its waiting events, except those that are being sent, become due at once; all of them get a new
   * retry horizon. No effect on an enabled trigger.
   */
  enable(storeId: string, triggerId: string, change: StoreChange): Promise<Trigger>;
  /** Disables a trigger; no effect if it is already disabled. @returns whether it was enabled */
  disable(storeId: string, triggerId: string, disabled: Disabled, change: StoreChange): Promise<boolean>;
  /** Replaces the active secret; the replaced one continues to sign messages until `previousUntil`. */
  rotateSecret(
    storeId: string,
    triggerId: string,
    rotation: { readonly secret: string; readonly previousUntil: Date },
    change: StoreChange,
  ): Promise<Trigger>;
}

/** Returns whether a trigger receives events of this type. */
export function selects({ events }: { readonly events: readonly number[] }, type: EventType): boolean {
  return events.length === 0 || events.includes(type);
}
