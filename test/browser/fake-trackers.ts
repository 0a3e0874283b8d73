import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Row } from '../../console/api/types.ts'
import { setUpLinks, trackerAddress } from '../../src/core/field/set-up.ts'
import { APP_ID, idOf } from '../console/items.ts'

const API = '/v1/operator'
const SITE = 'https://sos.example.org'
const MQTT = { host: 'sos.example.org', port: 8883 }

/** What the `n`th token of a site comes with. As long as a real one: the size of the code depends on it. */
export function handedOver(n: number) {
  const token = `${'tracker-secret-'.repeat(3)}`.slice(0, 42) + n
  return { token, address: trackerAddress(SITE), ...setUpLinks(SITE, token, 'A84041FFFF9999', MQTT) }
}

type State = { readonly changes: unknown[] }
type Named = { readonly hardwareId: string }

/** Trackers, their tokens and questions to contacts in the operator API. */
export function serveTrackers(app: FastifyInstance, { changes }: State, now: number): void {
  const at = new Date(now - 3_600_000).toISOString()
  const tokens = new Map<string, string | null>()
  const owners = new Map<string, string>([['A84041FFFF1234', 'user-0']])
  const intervals = new Map<string, number | null>()
  const asked = new Set<string>()
  let made = 0

  const heard = new Map<string, string>()
  const detail = (hardwareId: string) => {
    const owner = owners.get(hardwareId) ?? null
    return {
      applicationId: APP_ID,
      hardwareId,
      model: 'TrackerD',
      userId: owner === null ? null : idOf(9000),
      externalUserId: owner,
      pairedAt: owner === null ? null : at,
      lockedUntil: null,
      silentAfterMinutes: intervals.get(hardwareId) ?? null,
      silentSince: owner === null ? null : at,
      disabled: false,
      applicationSilentAfterMinutes: 0,
      tokenMadeAt: tokens.get(hardwareId) ?? null,
      heardAt: heard.get(hardwareId) ?? (owner === null ? null : at),
      battery: owner === null ? null : 7,
      sosSince: null,
      address: trackerAddress(SITE),
    }
  }

  app.get(`${API}/devices/show`, async ({ query }: FastifyRequest<{ Querystring: Named }>) => {
    const { hardwareId } = query
    // Its app was set up: the next look finds that it has reported.
    if (made === 2) heard.set(hardwareId, new Date(now + 1000).toISOString())
    return detail(hardwareId)
  })
  app.post(`${API}/devices/token`, async ({ body }: FastifyRequest<{ Body: Row & Named }>, reply) => {
    const { hardwareId, externalUserId = null } = body
    changes.push(['token', hardwareId, externalUserId])
    if (typeof externalUserId === 'string') owners.set(hardwareId, externalUserId)
    tokens.set(hardwareId, new Date(now + made).toISOString())
    return reply.code(201).send({ ...detail(hardwareId), ...handedOver(++made) })
  })
  app.post(`${API}/devices/token/revoke`, async ({ body }: FastifyRequest<{ Body: Named }>) => {
    changes.push(['revoke', body.hardwareId])
    tokens.set(body.hardwareId, null)
    return detail(body.hardwareId)
  })
  app.post(`${API}/devices/unpair`, async ({ body }: FastifyRequest<{ Body: Named }>) => {
    changes.push(['unpair', body.hardwareId])
    owners.delete(body.hardwareId)
    return detail(body.hardwareId)
  })
  app.post(`${API}/devices/watch`, async ({ body }: FastifyRequest<{ Body: Row & Named }>) => {
    const minutes = body.silentAfterMinutes as number | null
    changes.push(['watch', body.hardwareId, minutes])
    intervals.set(body.hardwareId, minutes)
    return detail(body.hardwareId)
  })
  app.post(`${API}/users/:id/disable`, async ({ params: { id } }: FastifyRequest<{ Params: { id: string } }>) => {
    changes.push(['disable', id])
    return {}
  })
  app.post(
    `${API}/users/:id/contacts/:contactId/verify`,
    async ({ params: { contactId } }: FastifyRequest<{ Params: { contactId: string } }>, reply) => {
      if (asked.has(contactId)) {
        const error = { code: 'E_OPERATOR_RATE_LIMITED', reason: 'verification_limit', message: 'Wait.' }
        return reply.code(429).send({ error })
      }
      asked.add(contactId)
      changes.push(['ask', contactId])
      return reply.code(202).send({ status: 'requested' })
    },
  )
}
