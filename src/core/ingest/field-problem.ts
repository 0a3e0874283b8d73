/**
 * One thing that is wrong with one field of an input: what the error envelope lists, and what an accepted alert keeps
 * as a warning.
 */
export type FieldProblem = { readonly field: string; readonly message: string }
