import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Log } from '../../../../ports/log.ts'
import type { FamilyName } from '../problem.ts'

/** Needs of every admission. */
export type Logging = { readonly log: Log }

/** Admission to the routes of a family. */
export type FamilyAdmission<N extends Logging> = {
  /** Adds the hooks that let a caller in before their body is read. */
  readonly admit: (scope: FastifyInstance, family: FamilyName, needs: N) => void
  /** A route in OpenAPI: the credentials, the statuses of a refusal, and what its description adds. */
  readonly describe: (route: RouteOptions) => {
    readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
    readonly statuses: readonly number[]
    readonly note?: string
  }
}

/** Routes that need no credentials, or ask for their own. */
export const anyone: FamilyAdmission<Logging> = { admit() {}, describe: () => ({ statuses: [] }) }
