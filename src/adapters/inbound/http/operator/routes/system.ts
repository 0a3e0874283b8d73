import { drainNode, nodeView } from '../../../../../app/operator/nodes.ts'
import { isoAt } from '../../../../../core/ingest/event-time.ts'
import { callerOf } from '../../admission/caller.ts'
import { siteMap } from '../../map/site-map.ts'
import type { HttpParts } from '../../parts.ts'
import { bodyErrors, errors } from '../../schemas/error.ts'
import { idParams } from '../../schemas/params.ts'
import { operatorFamily } from '../family.ts'
import type { OperatorParts } from '../parts.ts'
import {
  backupsSchema,
  clockAcceptedSchema,
  clockSchema,
  drainedSchema,
  drainGiven,
  healthSchema,
  mapSchema,
  nodesSchema,
  simulatedSchema,
} from '../schemas/estate.ts'
import { firstStepsSchema } from '../schemas/first-steps.ts'

const PATH = '/v1/operator'

/** How the service is, and the nodes that share its database. protocol.md#operator-api. */
export const systemRoutes = (parts: Pick<HttpParts, 'log' | 'map'> & { readonly operator: OperatorParts }) => {
  const { estate } = parts.operator
  return operatorFamily(parts, {
    json(scope, refuse) {
      scope.post(
        `${PATH}/nodes/:id/drain`,
        {
          config: { action: 'node.drain' },
          schema: {
            summary: 'Drains a node, or lets it claim messages again',
            params: idParams,
            body: drainGiven,
            response: { 200: drainedSchema, ...bodyErrors, ...errors(404, 409) },
          },
        },
        async (request, reply) => {
          if (estate.nodes === null) return refuse(reply, 'one_node')
          const { id } = request.params
          const { draining } = request.body
          const done = await drainNode(estate.nodes, id, draining, callerOf(request).by())
          return 'refused' in done ? refuse(reply, done.refused) : { id, draining, ...done }
        },
      )
    },

    bodiless(scope, refuse) {
      scope.get(
        `${PATH}/nodes`,
        {
          config: { action: 'node.view' },
          schema: { summary: 'The nodes that share the database', response: { 200: nodesSchema } },
        },
        async () => {
          const { now, nodes } = (await estate.nodes?.nodes()) ?? { now: 0, nodes: [] }
          return { items: nodes.map((node) => nodeView(node, now)) }
        },
      )

      scope.get(
        `${PATH}/clock`,
        {
          config: { action: 'health.view' },
          schema: { summary: 'Whether the service trusts its clock', response: { 200: clockSchema } },
        },
        () => estate.clock.shown(),
      )

      scope.get(
        `${PATH}/backups`,
        {
          config: { action: 'backup.view' },
          schema: { summary: 'When the last backup was made', response: { 200: backupsSchema } },
        },
        () => estate.backups(),
      )

      scope.post(
        `${PATH}/clock/accept`,
        {
          config: { action: 'clock.accept' },
          schema: { summary: 'Confirms that the clock is right', response: { 200: clockAcceptedSchema } },
        },
        (request) => estate.clock.accept(callerOf(request).by()),
      )

      scope.post(
        `${PATH}/simulate`,
        {
          config: { action: 'incident.simulate' },
          schema: { summary: 'Simulates an SOS', response: { 201: simulatedSchema, ...errors(409) } },
        },
        async (request, reply) => {
          const simulated = await estate.simulate(callerOf(request).by())
          return 'refused' in simulated ? refuse(reply, simulated.refused) : reply.code(201).send(simulated)
        },
      )

      scope.get(
        `${PATH}/first-steps`,
        {
          config: { action: 'incident.simulate' },
          schema: { summary: 'How far the first steps are done', response: { 200: firstStepsSchema } },
        },
        async (request) => {
          const { test, ...steps } = await callerOf(request).inTurn(() => estate.firstSteps())
          return { ...steps, test: test && { at: isoAt(test.at) } }
        },
      )

      scope.get(
        `${PATH}/map`,
        {
          config: { action: 'health.view' },
          schema: { summary: 'Where the parts of the map are', response: { 200: mapSchema } },
        },
        async () => ({ sources: siteMap(parts)?.sources ?? null }),
      )

      scope.get(
        `${PATH}/health`,
        {
          config: { action: 'health.view' },
          schema: { summary: 'How the service is', response: { 200: healthSchema } },
        },
        async (request) => {
          const report = await estate.health(callerOf(request).grant.applications)
          return { status: report.reasons.length === 0 ? ('ready' as const) : ('not ready' as const), ...report }
        },
      )
    },
  })
}
