import type { FamilyName } from './problem.ts'

/** The OpenAPI description of one operation, apart from its shapes. */
export type Operation = {
  readonly operationId: string
  readonly description: string
  /** The family of its error codes; null outside the families. */
  readonly family: FamilyName | null
  readonly body?: unknown
  /** Example answers that have a body, by status. */
  readonly answers?: Readonly<Record<string, unknown>>
  readonly parameters?: Readonly<Record<string, unknown>>
}
