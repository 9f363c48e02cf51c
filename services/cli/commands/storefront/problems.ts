import type { StorefrontProblem } from "#gen/registry/v1/storefront_service_pb.js";
import { printable } from "#shared/text/printable.ts";
import { defineCommand } from "../../command/command.ts";
import { parseCount } from "../../command/option-values.ts";
import { timeWidthMin } from "../../output/fit-table.ts";
import type { ListFormat } from "../../output/output.ts";
import { reasonDocument } from "../../output/reason-document.ts";
import { readPages } from "../../registry-client/read-pages.ts";
import { timeOrNull, timestampText } from "../../timestamp.ts";

const problemFormat: ListFormat<StorefrontProblem> = {
  columns: [
    { title: "TIME", value: ({ at }) => timestampText(at), widthMin: timeWidthMin },
    { title: "STATE", value: ({ hasFailed }) => (hasFailed ? "failed" : "check"), plainWidth: 10, isWhole: true },
    { title: "ITEM", value: whatOf },
  ],
  details: ({ problems }) => problems.map(({ text }) => printable(text)),
  toJson: ({ id, topic, orderName, at, problems, hasFailed }) => ({
    id,
    topic: topic || null,
    orderName: orderName || null,
    at: timeOrNull(at),
    problems: problems.map(reasonDocument),
    hasFailed,
  }),
};

function whatOf({ id, topic, orderName }: StorefrontProblem): string {
  return topic === "" ? `order ${printable(orderName) || id}` : `message ${printable(topic)} ${printable(id)}`;
}

export const storefrontProblems = defineCommand<{ readonly limit: number }>({
  name: "storefront problems",
  changes: "nothing",
  description: "list failed messages and orders, and orders that need checking, newest first, each with the reasons",
  configure: (command) => command.option("--limit <n>", "maximum number of problems", parseCount, 50),
  async run({ selectStore, output, options: { limit } }) {
    const { storefront } = await selectStore();
    const read = async (count: number, pageToken = "") => {
      const { problems, nextPageToken } = await storefront.listStorefrontProblems({ limit: count, pageToken });
      return { items: problems, next: nextPageToken };
    };
    const hasMore = await readPages(limit, read, output.list(problemFormat), output.note);
    if (hasMore) output.note("There are more problems. Raise --limit.");
  },
});
