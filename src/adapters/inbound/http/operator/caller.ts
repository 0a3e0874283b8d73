import type { FastifyRequest } from 'fastify'
import type { By } from '../../../../app/operator/by.ts'
import type { OperatorCaller } from '../../../../app/operator/callers.ts'

/** Who makes a request of the operator API, for the route that was asked for. */
export type Caller = OperatorCaller & {
  readonly address: string
  /** For the audit row of a change. */
  by(): By
  /**
   * Whether what the route does may be done in this application. If not, the route answers as if the thing it is asked
   * about did not exist: nobody learns what other applications have.
   */
  may(appId: string): boolean
  /**
   * The result of what reads more than a few rows: callers take turns, so that alarms wait for no more than two reads
   * and two changes, and no caller for another's backlog. Rejects, at once, with a RequestProblem if too many of this
   * caller's wait; not if `isGoingOn`, for the next part of a file that is being sent.
   */
  inTurn<R>(work: () => Promise<R>, options?: { readonly isGoingOn?: boolean }): Promise<R>
}

/** The caller of this request, in a route whose action is not `anyone`. */
export const callerOf = (request: Pick<FastifyRequest, 'getDecorator'>): Caller =>
  request.getDecorator<Caller>('operatorCaller')
