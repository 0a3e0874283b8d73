import type { FieldProblem } from '../../core/field-problem.ts'
import { invalid, type Problem, UNAUTHORIZED } from './problem.ts'

/** What a use case may refuse with. */
export type Refusal =
  | readonly FieldProblem[]
  | 'bad_cursor'
  | 'contact_limit'
  | 'contact_not_found'
  | 'not_a_reorder'
  | 'user_not_found'

/** The answers to the refusals of the use cases. Decisions 2. */
const problems = {
  bad_cursor: invalid([{ field: 'cursor', message: 'is not a cursor of this list' }]),
  contact_limit: { kind: 'LIMIT', message: 'There are as many contacts as a user may have.' },
  contact_not_found: { kind: 'NOT_FOUND', message: 'There is no such contact.' },
  not_a_reorder: invalid([{ field: 'contactIds', message: 'must hold the id of every contact exactly once' }]),
  // Erased between being admitted and being written to.
  user_not_found: UNAUTHORIZED,
} as const satisfies Record<Extract<Refusal, string>, Problem>

export const problemOf = (refusal: Refusal): Problem =>
  typeof refusal === 'string' ? problems[refusal] : invalid(refusal)
