import { contextFilePath, readContextFile } from "../contexts/context-file.ts";
import { defineCommand } from "./command.ts";
import { contextFormat } from "./context-format.ts";

/** `certctl context list` */
export const contextList = defineCommand({
  name: "context list",
  changes: "nothing",
  isOffline: true,
  description: "list the contexts: name, registry, store, TLS; an asterisk marks the current context",
  async run({ output }) {
    const { contexts, current } = readContextFile(contextFilePath());
    const show = output.list(contextFormat);
    for (const [name, context] of Object.entries(contexts)) show({ name, isCurrent: name === current, ...context });
  },
});
