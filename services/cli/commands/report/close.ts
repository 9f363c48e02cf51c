import { defineCommand } from "../../command/command.ts";

export const reportClose = defineCommand({
  name: "report close",
  changes: "store",
  description: "close a problem report; the store's history shows who closed it",
  configure: (command) => command.argument("<report-id>", "id shown by 'certctl report list'"),
  async run({ selectStore, output, args: [reportId = ""] }) {
    const { reports } = await selectStore();
    const { wasClosed } = await reports.closeReport({ reportId });
    output.result({ reportId, wasClosed }, wasClosed ? `${reportId} was already closed` : `${reportId} is closed`);
  },
});
