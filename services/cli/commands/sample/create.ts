import { defineCommand } from "../../command/command.ts";

/** `certctl sample create` */
export const sampleCreate = defineCommand<{ readonly title: string }>({
  name: "sample create",
  changes: "store",
  description: "create a sample certificate, which appears in no list and for which no webhook message is sent",
  configure: (command) => command.option("--title <text>", "product title", "Sample product"),
  async run({ selectStore, output, options: { title } }) {
    const { issuing } = await selectStore();
    const { certificateIds } = await issuing.createSamples({ products: [{ title }] });
    output.result({ certificateIds }, ...certificateIds);
  },
});
