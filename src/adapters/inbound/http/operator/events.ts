import { z } from 'zod'
import type { IncidentChanges } from '../../../../app/operator/incident-changes.ts'
import type { NoteLook } from '../../../../app/operator/looks.ts'
import type { Grant } from '../../../../core/operator/role.ts'
import type { Clock } from '../../../../ports/clock.ts'
import { callerOf } from '../admission/caller.ts'
import { credentialOf } from '../admission/credential.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import type { Refusals } from '../refusals.ts'
import { EventStreams } from './event-streams.ts'

const refusals = {
  too_many_streams: {
    kind: 'UNAVAILABLE',
    message: 'Too many consoles are open. Close one, or wait.',
    headers: { 'retry-after': '30' },
  },
} as const satisfies Refusals

type Needs = OperatorAdmission & {
  readonly changes: IncidentChanges
  readonly clock: Pick<Clock, 'now'>
  readonly noteLook: NoteLook
  /** Somebody with this grant has the board open. */
  readonly noteWatched: (grant: Grant) => void
}

/** `GET /v1/operator/events`, which tells the consoles of each change (protocol.md#operator-events). */
export const operatorEventRoutes = (needs: Needs) => {
  const { callers, noteLook, noteWatched, changes, clock, log } = needs
  const streams = new EventStreams({ changes, clock, log })
  return family('OPERATOR', needs, {
    refusals,

    bodiless(scope, refuse) {
      scope.get(
        '/v1/operator/events',
        {
          exposeHeadRoute: false,
          config: { action: 'incident.view' },
          schema: {
            operationId: 'followIncidents',
            summary: 'Streams changed incidents as they happen (server-sent events)',
            description:
              'A stream of server-sent events. `incident`: the item of the board as it is after a change, each state once. `drill`: the same of an exercise, behind everything real. `heartbeat`: at least every 15 s, while all that has changed could be sent. `reload`: something may be missing, read the board again. Open the stream, wait for its first event, then read the board. With `Last-Event-ID` it goes on where it broke off.',
            response: { 200: { content: { 'text/event-stream': { schema: z.string() } } } },
          },
        },
        async (request, reply) => {
          const { actor, address, ...caller } = callerOf(request)
          const credential = credentialOf(request.headers)!
          const known = request.headers['last-event-id']
          const isOpen = streams.open(reply, {
            caller: { actor, ...caller },
            known: typeof known === 'string' ? known : null,
            callerNow: () => callers.of(credential, { isPersons: false }),
            noteLook(grant) {
              noteLook({ actor, address, action: 'incident.view', appId: null, userId: null, subject: null })
              // A token belongs to a program, which takes no alarm by itself.
              if (actor.kind === 'operator') noteWatched(grant)
            },
          })
          return isOpen ? reply : refuse(reply, 'too_many_streams')
        },
      )
    },
  })
}
