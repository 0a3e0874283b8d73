import { z } from 'zod'
import type { knownBackups } from '../../../../app/operator/backups.ts'
import type { clockKeeping } from '../../../../app/operator/clock.ts'
import { drainNode, nodeView } from '../../../../app/operator/nodes.ts'
import { isoOrNull } from '../../../../core/ingest/event-time.ts'
import type { NodeStore } from '../../../../ports/node-store.ts'
import { callerOf } from '../admission/caller.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import { type MapOwner, siteMap } from '../map/site-map.ts'
import type { Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { idParams } from '../schemas/params.ts'
import { exampleTime } from './examples.ts'
import { type HealthReport, healthSchema } from './health-report.ts'

const PATH = '/v1/operator'

const moment = z.iso.datetime()
const nodeSchema = z.object({
  id: z.string(),
  version: z.string(),
  state: z.enum(['sending', 'draining', 'stopped', 'gone']),
  startedAt: moment,
  leaseUntil: moment,
})
export const nodesSchema = z.object({ items: z.array(nodeSchema) })
export const clockSchema = z.object({
  now: moment.meta({ description: 'What the clock of the service says' }),
  believed: z.boolean(),
  newestMoment: moment.nullable().meta({ description: 'When anything was stored last' }),
  measuredBy: moment.nullable().meta({ description: 'The last moment at which the clock was believed' }),
})
const clockAcceptedSchema = z.object({ accepted: moment })
export const backupsSchema = z.object({
  isOwn: z.boolean().meta({ description: 'Made by `tocsin backup`; false: with the tools of PostgreSQL, unseen' }),
  last: z.object({ at: moment, bytes: z.int(), verified: z.boolean() }).nullable(),
  isOld: z.boolean().meta({ description: 'None, or none in the last 48 h' }),
  nightly: z
    .object({
      at: z.string().meta({ description: 'Local time of day' }),
      to: z.string().meta({ description: '`backup.to`' }),
      keep: z.int(),
      nextAt: moment,
      failure: z
        .object({
          at: moment,
          reason: z.string(),
          isMade: z.boolean().meta({ description: 'The backup was made; `backup.after` failed' }),
        })
        .nullable(),
    })
    .nullable()
    .meta({ description: 'The encrypted backups that the service makes; null without `backup.recipient`' }),
})
const drainGiven = z.strictObject({ draining: z.boolean() })
const drainedSchema = z.object({
  id: z.string(),
  draining: z.boolean(),
  isAlone: z.boolean().meta({ description: 'No other node is sending, so this one goes on until one does' }),
})

const path = z.string().meta({ description: 'On this host' })

const mapSchema = z.object({
  sources: z
    .object({
      script: path,
      leaflet: path,
      style: path,
      outline: path,
      overlays: path.nullable(),
      basemap: z.object({ script: path, archive: path, maxZoom: z.int() }).nullable(),
      tiles: z.string().nullable().meta({ description: '`map.tileUrl`: on another host' }),
      attribution: z.string().nullable(),
    })
    .nullable()
    .meta({ description: 'What `mount` of the script takes; null if the files of the map cannot be read' }),
})

const refusals = {
  node_not_found: { kind: 'NOT_FOUND', message: 'There is no such node.' },
  one_node: { kind: 'CONFLICT', message: 'There is one node. Only a PostgreSQL database is shared (store.url).' },
} as const satisfies Refusals

type Needs = OperatorAdmission &
  MapOwner & {
    /** The nodes that share the store. Null if there is only one. */
    readonly nodes: Pick<NodeStore, 'nodes' | 'drain'> | null
    readonly clockKeeping: ReturnType<typeof clockKeeping>
    readonly backups: ReturnType<typeof knownBackups>
    /** `applications`: whose figures. Null: those of the site. */
    readonly health: (applications: readonly string[] | null) => Promise<HealthReport>
  }

/** The state of the service, and the nodes that share its database. protocol.md#operator-api. */
export const operatorSystemRoutes = (needs: Needs) => {
  const { nodes, clockKeeping, backups, health } = needs
  return family('OPERATOR', needs, {
    refusals,

    json(scope, refuse) {
      scope.post(
        `${PATH}/nodes/:id/drain`,
        {
          config: { action: 'node.drain' },
          schema: {
            operationId: 'drainNode',
            summary: 'Drains a node, or lets it claim messages again',
            description:
              'Drains a node before it is stopped: within 5 s it claims no more messages. Or lets it claim them again.',
            params: idParams,
            body: drainGiven,
            response: { 200: drainedSchema, ...bodyErrors, ...errors(404, 409) },
            examples: {
              parameters: { id: 'a' },
              body: { draining: true },
              answers: { 200: { id: 'a', draining: true, isAlone: false } },
            },
          },
        },
        async (request, reply) => {
          if (nodes === null) return refuse(reply, 'one_node')
          const { id } = request.params
          const { draining } = request.body
          const done = await drainNode(nodes, id, draining, callerOf(request).by())
          return 'refused' in done ? refuse(reply, done.refused) : { id, draining, ...done }
        },
      )
    },

    bodiless(scope, _refuse) {
      scope.get(
        `${PATH}/nodes`,
        {
          config: { action: 'node.view' },
          schema: {
            operationId: 'listNodes',
            summary: 'The nodes that share the database',
            description: 'The nodes of the last week that share the database; empty where there is one node on SQLite.',
            response: { 200: nodesSchema },
            examples: {
              answers: {
                200: {
                  items: [
                    { id: 'a', version: '0.9.0', state: 'sending', startedAt: exampleTime, leaseUntil: exampleTime },
                  ],
                },
              },
            },
          },
        },
        async () => {
          const { now, nodes: all } = (await nodes?.nodes()) ?? { now: 0, nodes: [] }
          return { items: all.map((node) => nodeView(node, now)) }
        },
      )

      scope.get(
        `${PATH}/clock`,
        {
          config: { action: 'health.view' },
          schema: {
            operationId: 'getClock',
            summary: 'Whether the service trusts its clock',
            description: 'What the clock of the service says, and whether the service trusts it.',
            response: { 200: clockSchema },
            examples: {
              answers: { 200: { now: exampleTime, believed: true, newestMoment: exampleTime, measuredBy: null } },
            },
          },
        },
        () => clockKeeping.shown(),
      )

      scope.get(
        `${PATH}/backups`,
        {
          config: { action: 'backup.view' },
          schema: {
            operationId: 'getBackups',
            summary: 'When the last backup was made',
            description:
              'When a verified backup was last made, how large it was, and what the service makes by itself. The service sees no backup of PostgreSQL.',
            response: { 200: backupsSchema },
            examples: {
              answers: {
                200: {
                  isOwn: true,
                  last: { at: exampleTime, bytes: 4_194_304, verified: true },
                  isOld: false,
                  nightly: { at: '03:10', to: '/mnt/backup/tocsin', keep: 14, nextAt: exampleTime, failure: null },
                },
              },
            },
          },
        },
        () => backups(),
      )

      scope.post(
        `${PATH}/clock/accept`,
        {
          config: { action: 'clock.accept' },
          schema: {
            operationId: 'acceptClock',
            summary: 'Confirms that the clock is right',
            description:
              'Makes the service trust a clock that it doubts, on all nodes within 2 s: what is due by that time is closed, expired and deleted. Look at `now` first.',
            response: { 200: clockAcceptedSchema },
            examples: { answers: { 200: { accepted: exampleTime } } },
          },
        },
        (request) => clockKeeping.accept(callerOf(request).by()),
      )

      scope.get(
        `${PATH}/map`,
        {
          config: { action: 'health.view' },
          schema: {
            operationId: 'getOperatorMap',
            summary: 'Where the parts of the map are',
            description: 'The addresses of what the map consists of, for pages that show one.',
            response: { 200: mapSchema },
            examples: {
              answers: {
                200: {
                  sources: {
                    script: '/map/map-3vXq0nYk2bLr8sTd.js',
                    leaflet: '/map/leaflet-Qw7eRt9yUiOp1aSd.js',
                    style: '/map/map-Zx5cVb8nMk2jHg4f.css',
                    outline: '/map/outline-Pl0oKm9ijNu8bhYv.json',
                    overlays: null,
                    basemap: null,
                    tiles: null,
                    attribution: null,
                  },
                },
              },
            },
          },
        },
        async () => ({ sources: siteMap(needs)?.sources ?? null }),
      )

      scope.get(
        `${PATH}/health`,
        {
          config: { action: 'health.view' },
          schema: {
            operationId: 'getOperatorHealth',
            summary: 'How the service is',
            description:
              'Why the service is not ready, what else needs attention, whether messages leave this machine (else who can change that), and how much is open.',
            response: { 200: healthSchema },
            examples: {
              answers: {
                200: {
                  status: 'ready',
                  reasons: [],
                  concerns: [],
                  keepsMessages: false,
                  canary: { passedAt: '2026-05-01T14:00:00.000Z', failuresInARow: 0 },
                  figures: { active: 1, acknowledged: 0, held: 0, deadLetters: 3 },
                },
              },
            },
          },
        },
        async (request) => {
          const { canary, ...report } = await health(callerOf(request).grant.applications)
          return {
            status: report.reasons.length === 0 ? ('ready' as const) : ('not ready' as const),
            ...report,
            ...(canary !== undefined && { canary: canary && { ...canary, passedAt: isoOrNull(canary.passedAt) } }),
          }
        },
      )
    },
  })
}
