import { type NatsConnection, NatsError } from "nats";
import { automationStreamName, automationSubjectsOf, hasAutomationStream } from "#shared/nats/automation-stream.ts";
import { callNats } from "../outbox/call-nats.ts";
import { type DeletedMessages, deleteMessages, type MessageSelection } from "../outbox/delete-messages.ts";

interface DeleteAutomationMessagesDeps {
  /** Undefined while there is no connection to NATS. */
  readonly connection: NatsConnection | undefined;
  /** Returns whether a registry publishes automation events. If not, the stream can still contain earlier ones. */
  readonly publishesAutomationEvents: () => Promise<boolean>;
}

/**
 * Makes one step of {@link deleteMessages} for a store in the stream of automation events. Finds nothing if the stream
 * does not exist or, unless a registry publishes, if the NATS user has no permission for it: an installation without
 * automation events does not grant one.
 *
 * @throws ServiceError `unavailable` if NATS is unavailable or refuses the call
 */
export function deleteAutomationMessages(
  { connection, publishesAutomationEvents }: DeleteAutomationMessagesDeps,
  storeId: string,
  selection: MessageSelection,
): Promise<DeletedMessages> {
  return callNats(connection, async (connected) => {
    const exists = await hasAutomationStream(connected).catch(async (error: unknown) => {
      const isForbidden = error instanceof NatsError && error.isPermissionError();
      if (isForbidden && !(await publishesAutomationEvents())) return false;
      throw error;
    });
    if (!exists) return { count: 0, waitingCount: 0, next: undefined };
    return deleteMessages(
      connected,
      { stream: automationStreamName, subjects: automationSubjectsOf(storeId) },
      selection,
    );
  });
}
