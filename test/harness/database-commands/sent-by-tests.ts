import { readFileSync } from "node:fs";
import { BSON, type CommandStartedEvent, type Document, MongoClient } from "mongodb";
import { BlockingWrites } from "./blocking-writes.ts";
import { comparedDates } from "./compared-dates.ts";
import { noDates, type Shape, shapeOf, union } from "./shape.ts";

// Every kind of document; a test of the stored documents keeps it complete.
const contents: Record<string, Document[]> = BSON.EJSON.parse(
  readFileSync(new URL("../../fixtures/documents-v1.json", import.meta.url), "utf8"),
);
const shapes = new Map<string, Shape>(
  Object.entries(contents).map(([name, documents]) => [name, shapeOf(...documents)]),
);

const found = new Set<string>();
const blocking = new BlockingWrites();
const { connect } = MongoClient.prototype;
// Other clients are those of tests, and of commands that run while no registry does.
const ofRegistry = "certificate-registry ";

/**
 * Checks the commands of all database clients of this process from now on: those of the tests and those of the
 * registries that tests start in the process.
 */
export function checkSentCommands(): void {
  if (MongoClient.prototype.connect !== connect) return;
  MongoClient.prototype.connect = function connectChecked() {
    // A client connects at its first command. Its connections monitor commands only if it does so before.
    Object.assign(this.options, { monitorCommands: true });
    this.removeListener("commandStarted", check);
    this.on("commandStarted", check);
    this.removeListener("commandStarted", noteWrites);
    if (this.options.appName?.startsWith(ofRegistry)) this.on("commandStarted", noteWrites);
    return connect.call(this);
  };
}

/** Returns the comparisons of dates in the commands sent since the last call; see {@link comparedDates}. */
export function takeComparedDates(): string[] {
  const taken = [...found];
  found.clear();
  return taken;
}

/** Returns the writes sent since the last call that may block transactions; see {@link BlockingWrites}. */
export function takeBlockingWrites(): string[] {
  return blocking.take();
}

function noteWrites({ commandName, command }: CommandStartedEvent): void {
  blocking.note(commandName, command);
}

function check({ commandName, command }: CommandStartedEvent): void {
  for (const one of comparedDates(command, shapeOfCollections(commandName, command)))
    found.add(`${commandName}: ${one}`);
}

function shapeOfCollections(commandName: string, command: Document): Shape {
  const namespaces: readonly { readonly ns: string }[] = command.nsInfo ?? [{ ns: `.${command[commandName]}` }];
  return namespaces.map(({ ns }) => shapes.get(ns.slice(ns.indexOf(".") + 1)) ?? noDates).reduce(union, noDates);
}
