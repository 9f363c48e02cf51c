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
    const sortedProjects = [...projects.values()].map((files) =>
      files.toSorted((a, b) => durationOf(b) - durationOf(a)).map((file) => ({ file, duration: durationOf(file) })),
    );
    const longestOf = ([first]: (typeof sortedProjects)[number]) => first?.duration ?? 0;
    return sortedProjects
      .toSorted((a, b) => longestOf(b) - longestOf(a))
      .flatMap((files) => files.map(({ file }) => file));
  }
}
