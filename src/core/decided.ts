/** A change that is not made, and why. */
export type Refused<Code extends string> = { readonly refused: Code }

/** What a decision comes to: a refusal, or the `result` for the caller with the rows to write for it. */
export type Decided<Changes extends object, Result, Code extends string> =
  | Refused<Code>
  | (Changes & { readonly result: Result })
