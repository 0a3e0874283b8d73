import type { z } from 'zod'
import type {
  boardItemSchema,
  boardPageSchema,
  caseSchema,
} from '../../src/adapters/inbound/http/operator/schemas/incidents.ts'
import type { currentSchema, meSchema } from '../../src/adapters/inbound/http/operator/schemas/session.ts'

/**
 * The operator API's answers, as its own schemas have them (docs/reference/protocol.md#operator-api): a field that
 * changes there does not compile here. Types alone, so that nothing of the service is in the bundle.
 */
export type Me = z.infer<typeof meSchema>
export type Current = z.infer<typeof currentSchema>
export type Role = Me['role']

export type Item = z.infer<typeof boardItemSchema>
export type Position = NonNullable<Item['position']>
export type Answer = NonNullable<Item['answer']>

export type Case = z.infer<typeof caseSchema>
export type ContactState = Case['contacts'][number]
export type TimelineRow = Case['timeline'][number]

export type Listed<T> = Omit<z.infer<typeof boardPageSchema>, 'items'> & { readonly items: readonly T[] }

export type Row = Readonly<Record<string, unknown>>
