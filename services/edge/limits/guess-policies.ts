import type { BucketPolicy } from "#shared/limits/token-bucket.ts";

/**
 * The policies for guesses of secrets that grant access. A person who mistypes a link needs a few attempts, and an
 * ended session causes one a minute; a program that guesses makes many.
 */
export const guessPolicies: readonly BucketPolicy[] = [
  { capacity: 60, tokensPerSecond: 1 },
  { capacity: 120, tokensPerSecond: 2 },
  { capacity: 240, tokensPerSecond: 4 },
];
