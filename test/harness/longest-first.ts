import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// Each file in these folders runs for many seconds and mostly waits.
const longFolders = ["test/bench/", "test/checks/", "test/faults/"];

/**
 * Starts the files of the slowest folders first, so that all workers finish at about the same time. Vitest itself knows
 * the durations only from an earlier run on the same machine, and otherwise starts the largest files first.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specifications);
    const rankOf = ({ project, moduleId }: TestSpecification) => {
      if (project.name !== "servers") return longFolders.length;
      const file = relative(this.ctx.config.root, moduleId);
      const rank = longFolders.findIndex((folder) => file.startsWith(folder));
      return rank === -1 ? longFolders.length : rank;
    };
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}
