import { family } from '../family.ts'
import type { HttpParts } from '../parts.ts'
import type { operatorRefusals, Refuse } from '../refusals.ts'
import type { OperatorParts } from './parts.ts'

/** For the nouns that are not moved yet. */
export type RefuseOperator = Refuse<keyof typeof operatorRefusals>

export const operatorFamily = (
  { operator, log }: Pick<HttpParts, 'log'> & { readonly operator: Pick<OperatorParts, 'callers' | 'publicUrl'> },
  routes: Parameters<typeof family<'OPERATOR'>>[2],
) => family('OPERATOR', { ...operator, log }, routes)
