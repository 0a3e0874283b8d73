import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { InvitationMade } from '../../console/api/types.ts'
import { idOf } from '../console/items.ts'
import { invitationOf } from './fake-estate.ts'

export const LINK = 'https://sos.example.org/app/join#inv_abcdefghijklmnopqrstuvwxyz012345'
export const FINGERPRINT =
  '9F:86:D0:81:88:4C:7D:65:9A:2F:EA:A0:C5:5A:D0:15:A3:BF:4F:1B:2B:0B:82:2C:D1:5D:6C:15:B0:F0:0A:08'

type Given = { readonly kind: 'person' | 'poster' | 'device'; readonly places?: number; readonly label?: string | null }

/** Invitations to the app, and the phones of a person, of the operator API in memory. */
export function serveInvitations(app: FastifyInstance, state: { changes: unknown[] }, now: number): void {
  const api = '/v1/operator'
  const path = `${api}/applications/:id/app-invitations`
  app.post(path, async ({ body }: FastifyRequest<{ Body: Given }>, reply) => {
    state.changes.push(['invited', body])
    const { kind, places = 1, label = null } = body
    const made: InvitationMade = {
      ...invitationOf(now, { id: idOf(9710), kind, places, label }),
      link: LINK,
      trust: { address: 'https://sos.example.org/trust', fingerprint: FINGERPRINT },
    }
    return reply.code(201).send(made)
  })
  app.post(`${path}/:invitation/end`, async ({ params }: FastifyRequest<{ Params: { invitation: string } }>) => {
    state.changes.push(['invitation ended', params.invitation])
    return invitationOf(now, { id: params.invitation, works: false })
  })
  const people = { users: 37, enabled: 36, inAlarm: 1 }
  app.get(`${path}/:invitation/users`, async () => people)
  for (const [word, enabled] of [
    ['disable', 1],
    ['enable', 37],
  ] as const) {
    app.post(
      `${path}/:invitation/${word}-users`,
      async ({ params }: FastifyRequest<{ Params: { invitation: string } }>) => {
        state.changes.push([`people ${word}d`, params.invitation])
        return { ...Object.assign(people, { enabled }), changed: 35 }
      },
    )
  }
  app.delete(
    `${api}/users/:id/app-devices/:device`,
    async ({ params }: FastifyRequest<{ Params: { device: string } }>, reply) => {
      state.changes.push(['phone revoked', params.device])
      return reply.code(204).send()
    },
  )
}
