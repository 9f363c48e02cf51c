import type { CommandFailedEvent, CommandStartedEvent, CommandSucceededEvent, MongoClient } from "mongodb";
import { type OpenSpan, SpanKind, startChildSpan } from "#shared/trace/spans.ts";

/**
 * Records each command of a traced request or change as a span named after the command and its collection. The span
 * contains neither filters nor documents. The client must be created with the option `monitorCommands`.
 */
export function traceCommands(client: MongoClient): void {
  const spans = new Map<number, OpenSpan>();
  client.on("commandStarted", (event: CommandStartedEvent) => {
    const { commandName, databaseName, requestId } = event;
    const collection = collectionOf(event);
    const span = startChildSpan(collection === "" ? commandName : `${commandName} ${collection}`, {
      kind: SpanKind.CLIENT,
      attributes: {
        "db.system.name": "mongodb",
        "db.namespace": databaseName,
        "db.operation.name": commandName,
        ...(collection !== "" && { "db.collection.name": collection }),
      },
    });
    if (span.traceId !== undefined) spans.set(requestId, span);
  });
  const end = ({ requestId }: { readonly requestId: number }, failure?: Error) => {
    spans.get(requestId)?.end(failure);
    spans.delete(requestId);
  };
  client.on("commandSucceeded", (event: CommandSucceededEvent) => end(event));
  client.on("commandFailed", (event: CommandFailedEvent) => end(event, event.failure));
}

function collectionOf({ commandName, command }: CommandStartedEvent): string {
  const name: unknown = commandName === "getMore" ? command.collection : command[commandName];
  return typeof name === "string" ? name : "";
}
