import { type CommandStartedEvent, MongoClient } from "mongodb";
import { onTestFinished } from "vitest";

/** Opens a client that records the names of its commands in order; it is closed at the end of the test. */
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

/** Does work, and returns its result and the commands that a client sends meanwhile. The client monitors commands. */
export async function commandsDuring<T>(client: MongoClient, work: () => Promise<T>) {
  const sent: CommandStartedEvent[] = [];
  const note = (command: CommandStartedEvent) => void sent.push(command);
  client.on("commandStarted", note);
  try {
    return { result: await work(), sent };
  } finally {
    client.off("commandStarted", note);
  }
}
