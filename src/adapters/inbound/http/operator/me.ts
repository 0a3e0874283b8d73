import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { OperatorCaller } from '../../../../app/operator/callers.ts'
import { isoAt } from '../../../../core/ingest/event-time.ts'
import { endOf, type OperatorSession, SESSION_ABSOLUTE_MS } from '../../../../core/operator/session.ts'
import { release } from '../../../../lib/release.ts'
import { credentialOf, keepCookie } from '../admission/credential.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { exampleRelease, releaseShape } from '../schemas/release.ts'
import { operatorId } from './examples.ts'
import { grantShape } from './scope.ts'

const moment = z.iso.datetime()

export const meSchema = z
  .object({
    kind: z.enum(['operator', 'token']),
    id: z.uuid(),
    name: z.string(),
    login: z.string().nullable().meta({ description: 'null for a token' }),
    ...grantShape,
    expiresAt: moment.meta({ description: 'when the session or token ends, even while it is in use' }),
    idleUntil: moment.meta({ description: 'when the session ends unless it is used' }),
    site: z.object({
      name: z.string(),
      ...releaseShape,
      publicUrl: z.string().nullable(),
      node: z.string().nullable().meta({ description: 'null where there is one node' }),
    }),
  })
  .meta({ id: 'OperatorMe', description: 'Who is signed in' })

/** An example of who is signed in. */
export const exampleMe = {
  kind: 'operator',
  id: operatorId,
  name: 'Ana',
  login: 'ana',
  role: 'operator',
  applications: null,
  expiresAt: '2026-05-08T14:08:12.000Z',
  idleUntil: '2026-05-02T02:08:12.000Z',
  site: {
    name: 'sos.example.org',
    ...exampleRelease,
    publicUrl: 'https://sos.example.org',
    node: null,
  },
}

/** This installation, as the answers show it. */
export type Site = {
  /** As authenticator apps and the console show it. */
  readonly siteName: () => string
  /** The newest schema that this version knows of the store in use. */
  readonly schema: number
  /** The name of this node; null if it is the only one. */
  readonly node: string | null
  /** As in `Addresses`: empty if there is none. */
  readonly publicUrl: () => string
}

const browserOf = ({ 'user-agent': browser = '' }: IncomingHttpHeaders): string => browser

/** The address and browser of a request. */
export const visitorOf = ({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>) => ({
  address: ip,
  browser: browserOf(headers),
})

/** `who`: the signed-in operator, or the token. */
export function meOf(
  { actor, grant, login, session, expiresAt }: OperatorCaller,
  { siteName, schema, node, publicUrl }: Site,
) {
  return {
    ...actor,
    login,
    ...grant,
    expiresAt: isoAt(expiresAt),
    idleUntil: isoAt(session === null ? expiresAt : endOf(session)),
    site: { name: siteName(), ...release, schema, publicUrl: publicUrl() || null, node },
  }
}

type SignedIn = {
  readonly secret: string
  readonly session: OperatorSession
  readonly operator: { readonly id: string; readonly name: string; readonly login: string } & OperatorCaller['grant']
}

/** The answer to a browser that has just signed in, with the cookie. */
export function welcome(reply: FastifyReply, { secret, session, operator }: SignedIn, site: Site) {
  const { id, name, login, role, applications } = operator
  reply.header('set-cookie', keepCookie(secret, SESSION_ABSOLUTE_MS))
  const actor = { kind: 'operator', id, name } as const
  return meOf({ actor, grant: { role, applications }, login, session, expiresAt: session.expiresAt }, site)
}

/**
 * The same browser: its earlier session must not stay in the list of sessions. A sign-in succeeds even if the store
 * could not end that one: its code cannot be used a second time.
 */
export async function endEarlier(
  { callers, log }: Pick<OperatorAdmission, 'callers' | 'log'>,
  request: Pick<FastifyRequest, 'headers' | 'ip'>,
): Promise<void> {
  const earlier = credentialOf(request.headers)
  if (earlier?.kind !== 'cookie') return
  await callers
    .endEarlier(earlier, request.ip)
    .catch((error) => log.warn({ err: error }, 'the earlier session of a browser could not be ended'))
}
