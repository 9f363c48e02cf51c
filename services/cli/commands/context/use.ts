import { defineCommand } from "../../command/command.ts";
import { contextNamed } from "../../contexts/choose-context.ts";
import { contextFilePath, readContextFile, writeContextFile } from "../../contexts/context-file.ts";

export const contextUse = defineCommand({
  name: "context use",
  changes: "nothing",
  isOffline: true,
  description: "set the current context, which applies unless --context or CERTCTL_CONTEXT selects another one",
  configure: (command) => command.argument("<context>", "name shown by 'certctl context list'"),
  async run({ output, args: [name = ""] }) {
    const location = contextFilePath();
    const { contexts } = readContextFile(location);
    const context = contextNamed(contexts, name);
    writeContextFile(location, { current: name, contexts });
    output.result({ name, isCurrent: true, ...context }, `the current context is ${name}`);
  },
});
