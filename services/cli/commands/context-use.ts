import { contextNamed } from "../contexts/choose-context.ts";
import { contextFilePath, readContextFile, writeContextFile } from "../contexts/context-file.ts";
import { defineCommand } from "./command.ts";

/** `certctl context use <name>` */
export const contextUse = defineCommand({
  name: "context use",
  changes: "nothing",
  isOffline: true,
  description: "make a context the current one, which applies to every command without --context",
  configure: (command) => command.argument("<context>", "name from certctl context list"),
  async run({ output, args: [name = ""] }) {
    const location = contextFilePath();
    const { contexts } = readContextFile(location);
    const context = contextNamed(contexts, name);
    writeContextFile(location, { current: name, contexts });
    output.result({ name, isCurrent: true, ...context }, `the current context is ${name}`);
  },
});
