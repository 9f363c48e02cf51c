/** The output of a check that starts no stack. */
export class ProblemReport {
  #count = 0;

  /** Prints what was checked, and its problems. */
  add(what: string, problems: readonly string[]): void {
    this.print(problems.length === 0 ? `ok      ${what}` : `FAILED  ${what}`);
    for (const problem of problems) this.print(`        ${problem.trim().replaceAll("\n", "\n        ")}`);
    this.#count += problems.length;
  }

  /** Prints the number of problems. @returns the exit code: 1 if there are problems, otherwise 0 */
  end(): number {
    this.print(JSON.stringify({ problems: this.#count }));
    return this.#count === 0 ? 0 : 1;
  }

  print(line: string): void {
    process.stdout.write(`${line}\n`);
  }
}
