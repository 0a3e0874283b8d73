import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { operatorOnCall } from '../../src/app/operator/on-call.ts'
import { decideOnCallChange, withTold } from '../../src/core/account/decide-on-call.ts'
import type { OnCall } from '../../src/core/account/on-call.ts'
import { DAY, HOUR } from '../../src/lib/durations.ts'
import { idOf } from '../console/items.ts'

const [EVA, IVO] = [idOf(7000), idOf(7001)]

/** The list of a site: Ivo is on duty this week, and Eva, who is signed in, in the next. */
export const listAt = (now: number): OnCall => ({
  timeZone: 'Europe/Vienna',
  afterMinutes: 5,
  handOverAt: '08:00',
  startsOn: new Date(now - 3 * DAY).toISOString().slice(0, 10),
  everyDays: 7,
  order: [IVO, EVA],
  people: [
    ...[[IVO, 'Ivo Early', '+436600000007'] as const, [EVA, 'Eva Night', '+436600000006'] as const].map(
      ([id, name, phone]) => ({
        ...{ id, name, phone, language: 'de', operatorId: id },
        told: { at: now - 30 * DAY, phone, accepted: id === EVA },
      }),
    ),
  ],
  overrides: [{ id: idOf(7100), personId: EVA, from: now + 20 * HOUR, until: now + 32 * HOUR, setAt: now }],
  version: 1,
  reviewedAt: now - 400 * DAY,
})

/** The routes of the on-call list, with the rules of the service over a list in memory. */
export function addOnCall(
  app: FastifyInstance,
  api: string,
  state: { onCall: OnCall | null; changes: unknown[] },
): void {
  const onCall = operatorOnCall({
    store: {
      onCall: async () => state.onCall,
      async changeOnCall(change) {
        const decided = decideOnCallChange(state.onCall, change)
        if ('refused' in decided) return decided
        state.onCall = decided.update
        return { onCall: decided.update }
      },
      async noteToldOnCall(told) {
        state.onCall = withTold(state.onCall, told) ?? state.onCall
      },
      async noteBoardWatched() {},
    },
    clock: { now: () => Date.now() },
    ids: { uuid: randomUUID },
    log: { info() {}, warn() {}, error() {} },
    machineTimeZone: () => 'Europe/Vienna',
    siteName: () => 'sos.example.org',
    sendText: async () => ({ kind: 'sent', provider: 'x', providerRef: null }),
  })
  const asker = () => ({
    actor: { kind: 'operator' as const, id: EVA, name: 'Eva Night' },
    address: null,
    now: Date.now(),
    grant: { role: 'admin' as const, applications: null },
  })
  const span = ({ from, until }: { from?: string; until?: string }) => ({
    ...(from && { from: Date.parse(from) }),
    ...(until && { until: Date.parse(until) }),
  })
  app.get(`${api}/on-call`, () => onCall.view(asker()))
  app.put(`${api}/on-call`, ({ body }) => {
    state.changes.push(['on-call', body])
    return onCall.set(asker(), body as never)
  })
  app.post(`${api}/on-call/take`, ({ body }) => onCall.take(asker(), span(body as object)))
  app.post(`${api}/on-call/overrides`, ({ body }) =>
    onCall.override(asker(), { personId: (body as { personId: string }).personId, ...span(body as object) }),
  )
  app.post(`${api}/on-call/confirm`, ({ body }) => onCall.confirm(asker(), (body as { version: number }).version))
  for (const [path, method] of [
    ['take', 'giveBack'],
    ['overrides', 'remove'],
  ] as const) {
    app.delete(`${api}/on-call/${path}/:id`, ({ params }) => onCall[method](asker(), (params as { id: string }).id))
  }
}
