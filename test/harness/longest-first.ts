import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Starts the longest files of a project first, so that all workers finish at about the same time. Vitest records the
 * durations in its cache; files without a recorded duration start before all others, the largest first.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const durationOf = (specification: TestSpecification) =>
      this.ctx.cache.getTestSpecificationResult(specification)?.duration ?? Number.MAX_VALUE;
    // Groups the files by project, because a worker that changes to another project loads all modules again.
    const sorted = await super.sort(specifications);
    const projects = Map.groupBy(sorted, ({ project }) => project);
    return [...projects.values()].flatMap((files) => files.toSorted((a, b) => durationOf(b) - durationOf(a)));
  }
}
