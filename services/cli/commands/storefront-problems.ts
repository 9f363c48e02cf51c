import type { StorefrontProblem } from "#gen/registry/v1/storefront_service_pb.js";
import { printable } from "#shared/text/printable.ts";
import { timeWidthMin } from "../output/fit-table.ts";
import type { ListFormat } from "../output/output.ts";
import { timeOrNull, timestampText } from "../timestamp.ts";
import { defineCommand } from "./command.ts";
import { parseCount } from "./option-values.ts";

const problemFormat: ListFormat<StorefrontProblem> = {
  columns: [
    { title: "TIME", value: ({ at }) => timestampText(at), widthMin: timeWidthMin },
    { title: "STATE", value: ({ hasFailed }) => (hasFailed ? "failed" : "look at it"), plainWidth: 10, isWhole: true },
    { title: "WHAT", value: whatOf },
  ],
  details: ({ problems }) => problems.map(printable),
  toJson: ({ id, topic, orderName, at, problems, hasFailed }) => ({
    ...{ id, topic: topic || null, orderName: orderName || null, at: timeOrNull(at), problems, hasFailed },
  }),
};

function whatOf({ id, topic, orderName }: StorefrontProblem): string {
  return topic === "" ? `order ${printable(orderName) || id}` : `message ${printable(topic)} ${printable(id)}`;
}

/** `certctl storefront problems` */
export const storefrontProblems = defineCommand<{ readonly limit: number }>({
  name: "storefront problems",
  changes: "nothing",
  description:
    "list failed messages, then orders that failed or have something to look at, each newest first; below: why",
  configure: (command) => command.option("--limit <n>", "maximum number, 1 to 100", parseCount, 50),
  async run({ client, storeId, output, options: { limit } }) {
    const { problems } = await client.storefront.listStorefrontProblems({ storeId: await storeId(), limit });
    problems.forEach(output.list(problemFormat));
  },
});
