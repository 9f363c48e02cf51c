import type { DataRequest } from "#gen/registry/v1/storefront_service_pb.js";
import { printable } from "#shared/text/printable.ts";
import { defineCommand } from "../../command/command.ts";
import { timeWidthMin } from "../../output/fit-table.ts";
import type { ListFormat } from "../../output/output.ts";
import { timeOrNull, timestampText } from "../../timestamp.ts";

const requestFormat: ListFormat<DataRequest> = {
  columns: [
    { title: "TIME", value: ({ requestedAt }) => timestampText(requestedAt), widthMin: timeWidthMin },
    { title: "ID", value: ({ id }) => printable(id), isWhole: true },
  ],
  toJson: ({ id, requestedAt }) => ({ id, requestedAt: timeOrNull(requestedAt) }),
};

export const storefrontRequests = defineCommand({
  name: "storefront requests",
  changes: "nothing",
  description:
    "list customers' requests for the data stored about them, newest first; with an id, print the report for that " +
    "request as JSON",
  configure: (command) => command.argument("[id]", "id of a request"),
  async run({ selectStore, output, args: [requestId] }) {
    const { storefront } = await selectStore();
    if (requestId === undefined) {
      const { requests } = await storefront.listDataRequests({});
      requests.forEach(output.list(requestFormat));
      return;
    }
    const { reportJson } = await storefront.getDataRequestReport({ requestId });
    output.result({ report: JSON.parse(reportJson) }, reportJson);
  },
});
