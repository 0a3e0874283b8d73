import { z } from 'zod'
import type { readmits } from '../../../../app/connections/end-sessions.ts'
import type { Session } from '../../../../core/account/session.ts'
import { afterReading } from '../../../../lib/loop-watch.ts'
import { sessionOf } from '../admission/session.ts'
import { throttleOf, tooMany } from '../admission/throttle.ts'
import type { UserAdmission } from '../admission/users.ts'
import { family } from '../family.ts'
import { yieldPlace } from '../listener/connections.ts'
import { answer, UNAUTHORIZED } from '../problem.ts'
import type { Refusals } from '../refusals.ts'
import type { UserStreams } from './user-streams.ts'

const refusals = {
  not_now: {
    kind: 'UNAVAILABLE',
    message: 'This node takes no streams now, or newer streams of the user took the place of this one. Try again.',
    headers: { 'retry-after': '2' },
  },
} as const satisfies Refusals

type Needs = UserAdmission & {
  readonly streams: UserStreams
  /** The start of a stream, as JSON: the same as on MQTT. Null: nothing to tell. */
  readonly readState: (session: Session) => Promise<string | null>
  readonly isReadmitted: ReturnType<typeof readmits>
}

/** `GET /v1/sdk/events`: the events of the user as they happen (protocol.md#event-stream). */
export const eventRoutes = (needs: Needs) => {
  const { streams, readState, isReadmitted } = needs
  return family('EVENTS', needs, {
    refusals,

    bodiless(scope, refuse) {
      const { streams: limit } = throttleOf(scope)
      scope.get(
        '/v1/sdk/events',
        {
          exposeHeadRoute: false,
          schema: {
            operationId: 'followEvents',
            summary: 'Streams the events of the user’s incidents as they happen (server-sent events)',
            description:
              'For apps that speak no MQTT. A stream of server-sent events, read with `fetch`: the name of each is the `type` of the MQTT message (`/asyncapi.json`), its data that message as JSON. It begins with the current state, an `sos.actuator_update`, if there is one, and nothing older follows. No ids and no replay: connect again, and the state comes first. A comment comes at least every 15 s. At most 3 streams of a user: another one ends the oldest.',
            response: { 200: { content: { 'text/event-stream': { schema: z.string() } } } },
          },
        },
        async (request, reply) => {
          // An alarm may take its connection's place already now.
          yieldPlace(request.raw)
          const seconds = await limit(request)
          if (seconds !== null) return tooMany(reply, 'EVENTS', seconds)
          const session = sessionOf(request)
          const stream = streams.join(session)
          if (stream === null) return refuse(reply, 'not_now')
          try {
            // Ended while it was being admitted. From here on, an end finds it among the streams.
            if (!(await isReadmitted(session))) {
              stream.end()
              return answer(reply, 'EVENTS', UNAUTHORIZED)
            }
            const state = await readState(session)
            // A commit of this process may be read before its own answer arrives: its events come first.
            await new Promise<void>(afterReading)
            // Of several nodes, one whose database is silent has answered already.
            if (reply.sent) stream.end()
            else if (stream.hasLeft) return refuse(reply, 'not_now')
            else stream.begin(reply, state)
            return reply
          } catch (error) {
            stream.end()
            throw error
          }
        },
      )
    },
  })
}
