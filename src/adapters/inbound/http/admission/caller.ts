import type { FastifyRequest } from 'fastify'
import type { By } from '../../../../app/operator/by.ts'
import type { OperatorCaller } from '../../../../app/operator/callers.ts'

/** The caller of a request to the operator API, as its route sees it. */
export type Caller = OperatorCaller & {
  readonly address: string
  /** For the audit row of a change. */
  by(): By
  /**
   * Whether the caller may do the route's work in this application. If not, the route answers as if its object did not
   * exist: nobody learns of other applications' objects.
   */
  may(appId: string): boolean
  /**
   * The result of work that reads more than a few rows: callers take turns, so that alarms wait for at most two reads
   * and two changes, and no caller for another's backlog. Rejects, at once, with a RequestProblem if too many of this
   * caller's requests wait; not if `isGoingOn`, for the next part of a file that is being sent.
   */
  inTurn<R>(work: () => Promise<R>, options?: { readonly isGoingOn?: boolean }): Promise<R>
}

/** The caller of this request, in a route whose action is not `anyone`. */
export const callerOf = (request: Pick<FastifyRequest, 'getDecorator'>): Caller =>
  request.getDecorator<Caller>('operatorCaller')
