import { z } from 'zod'
import { callerOf } from '../../admission/caller.ts'
import { credentialOf } from '../../admission/credential.ts'
import type { HttpParts } from '../../parts.ts'
import { EventStreams } from '../event-streams.ts'
import { operatorFamily } from '../family.ts'
import type { OperatorParts } from '../parts.ts'

/** `GET /v1/operator/events`, which tells the consoles of each change (protocol.md#operator-events). */
export const eventRoutes = (parts: Pick<HttpParts, 'log' | 'clock'> & { readonly operator: OperatorParts }) => {
  const { callers, noteLook, changes } = parts.operator
  const streams = new EventStreams({ ...parts, changes })
  return operatorFamily(parts, {
    bodiless(scope, refuse) {
      scope.get(
        '/v1/operator/events',
        {
          exposeHeadRoute: false,
          config: { action: 'incident.view' },
          schema: {
            summary: 'Streams changed incidents as they happen (server-sent events)',
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
            look: () => callers.of(credential, { isPersons: false }),
            noteLook: () =>
              noteLook({ actor, address, action: 'incident.view', appId: null, userId: null, subject: null }),
          })
          return isOpen ? reply : refuse(reply, 'too_many_streams')
        },
      )
    },
  })
}
