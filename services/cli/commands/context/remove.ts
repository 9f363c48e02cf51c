import { defineCommand } from "../../command/command.ts";
import { withYes, type YesOption } from "../../command/common-options.ts";
import { contextNamed } from "../../contexts/choose-context.ts";
import { contextFilePath, readContextFile, writeContextFile } from "../../contexts/context-file.ts";

export const contextRemove = defineCommand<YesOption>({
  name: "context remove",
  changes: "nothing",
  isOffline: true,
  description: "remove a context; its TLS files are kept",
  configure: (command) => withYes(command.argument("<context>", "name shown by 'certctl context list'")),
  async run({ output, options: { yes }, args: [name = ""] }) {
    const location = contextFilePath();
    const { contexts, current } = readContextFile(location);
    const context = contextNamed(contexts, name);
    if (!yes) return output.preview(`remove the context ${name} from ${location}`, { name, ...context });
    const { [name]: _removed, ...others } = contexts;
    writeContextFile(location, { ...(current !== undefined && current !== name && { current }), contexts: others });
    output.result({ name, isRemoved: true }, `removed the context ${name}`);
  },
});
