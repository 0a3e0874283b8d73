/** One problem with one input field: an entry of the error envelope, or a warning stored with an accepted alert. */
export type FieldProblem = { readonly field: string; readonly message: string }
