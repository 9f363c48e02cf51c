import { defineCommand } from "./command.ts";

/** `certctl sample create` */
export const sampleCreate = defineCommand<{ readonly title: string }>({
  name: "sample create",
  changes: "store",
  description: "create a sample certificate, which appears in no list and for which no webhook message is sent",
  configure: (command) => command.option("--title <text>", "product title", "Sample product"),
  async run({ client, storeId, output, options: { title } }) {
    const request = { storeId: await storeId(), products: [{ title }] };
    const { certificateIds } = await client.issuing.createSamples(request);
    output.result({ certificateIds }, ...certificateIds);
  },
});
