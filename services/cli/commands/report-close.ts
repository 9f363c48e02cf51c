import { defineCommand } from "./command.ts";

/** `certctl report close <report-id>` */
export const reportClose = defineCommand({
  name: "report close",
  changes: "store",
  description: "close a problem report; the store's history shows who closed it",
  configure: (command) => command.argument("<report-id>", "id shown by 'certctl report list'"),
  async run({ client, storeId, output, args: [reportId = ""] }) {
    const { wasClosed } = await client.reports.closeReport({ storeId: await storeId(), reportId });
    output.result({ reportId, wasClosed }, wasClosed ? `${reportId} was already closed` : `${reportId} is closed`);
  },
});
