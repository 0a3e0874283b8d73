/** A refused change, with the reason. */
export type Refused<Code extends string> = { readonly refused: Code }

/** The outcome of a decision: a refusal, or the `result` for the caller with the rows to write. */
export type Decided<Changes extends object, Result, Code extends string> =
  | Refused<Code>
  | (Changes & { readonly result: Result })
