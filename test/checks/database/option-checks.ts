import { type DatabaseCheck, failed, passed } from "./database-check.ts";

/** What the connection string makes of the registry's settings. */
export const optionChecks: readonly DatabaseCheck[] = [
  {
    name: "writes are acknowledged by a majority and journaled, and reads return what a majority has",
    remedy: "Remove w, journal, readConcernLevel, readPreference and retryWrites from the connection string.",
    run: async ({ client }) => {
      const { writeConcern, readConcern, readPreference, retryWrites } = client.options;
      const effective = {
        w: writeConcern?.w,
        journal: writeConcern?.journal ?? writeConcern?.j,
        readConcern: readConcern?.level,
        readPreference: readPreference?.mode,
        retryWrites,
      };
      const wanted = {
        w: "majority",
        journal: true,
        readConcern: "majority",
        readPreference: "primary",
        retryWrites: true,
      };
      const text = JSON.stringify(effective);
      return text === JSON.stringify(wanted) ? passed(text) : failed(text);
    },
  },
];
