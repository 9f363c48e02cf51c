import { defineCommand } from "../../command/command.ts";

export const sampleCreate = defineCommand<{ readonly title: string }>({
  name: "sample create",
  changes: "store",
  description:
    "create a sample certificate and print its id and link; it appears in no list and sends no webhook message",
  configure: (command) => command.option("--title <text>", "product title", "Sample product"),
  async run({ selectStore, output, options: { title } }) {
    const { issuing } = await selectStore();
    const { certificateIds, verifyUrls } = await issuing.createSamples({ products: [{ title }] });
    output.result({ certificateIds, verifyUrls }, ...certificateIds, ...verifyUrls);
  },
});
