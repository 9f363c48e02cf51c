import { type CommandStartedEvent, MongoClient } from "mongodb";
import { onTestFinished } from "vitest";

/** A client, and the names of the commands that it has sent so far, in their order. It is closed when the test is over. */
export async function openWatchedClient(uri: string): Promise<{ client: MongoClient; commands: string[] }> {
  const client = new MongoClient(uri, {
    monitorCommands: true,
    readConcern: { level: "majority" },
    writeConcern: { w: "majority", journal: true },
  });
  onTestFinished(() => client.close());
  await client.connect();
  const commands: string[] = [];
  client.on("commandStarted", ({ commandName }: CommandStartedEvent) => commands.push(commandName));
  return { client, commands };
}
