/** The exit code of a test process that does not end by itself, which no failed test has. */
export const LEAK = 86
