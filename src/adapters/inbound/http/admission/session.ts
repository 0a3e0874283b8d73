import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { identify } from '../../../../app/connections/identify.ts'
import type { Credentials } from '../../../../core/account/mqtt-username.ts'
import type { Session } from '../../../../core/account/session.ts'
import { answer, type FamilyName, UNAUTHORIZED } from '../problem.ts'

// A byte order mark is part of the id like any other character.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

type Identify = ReturnType<typeof identify>

/** Matches no user, but takes as long to check. */
const NOBODY: Credentials = { appId: '', externalUserId: '', userHash: '' }

/**
 * Requires the three headers on every request of this scope (protocol.md#rest). Runs before the body is read. Every
 * failure gets the same 401 after the same amount of work, delayed by `slowDown`.
 */
export function requireSession(
  scope: FastifyInstance,
  family: FamilyName,
  {
    identify,
    slowDown,
  }: { readonly identify: Identify; readonly slowDown: (request: FastifyRequest) => Promise<void> },
): void {
  scope.decorateRequest('session', null)
  scope.addHook('onRequest', async (request, reply) => {
    const credentials = credentialsOf(request.raw)
    const session = await identify(credentials ?? NOBODY)
    if (credentials === null || session === null) {
      await slowDown(request)
      return answer(reply, family, UNAUTHORIZED)
    }
    request.setDecorator('session', session)
  })
}

/** The session of this request, in a scope that requires one. */
export const sessionOf = (request: Pick<FastifyRequest, 'getDecorator'>): Session =>
  request.getDecorator<Session>('session')

/** The three headers, each exactly once; null otherwise. */
function credentialsOf({ headersDistinct }: IncomingMessage): Credentials | null {
  const [appId, ...moreAppIds] = headersDistinct['x-app-id'] ?? []
  const [userId, ...moreUserIds] = headersDistinct['x-user-id'] ?? []
  const [authorization, ...moreAuthorizations] = headersDistinct.authorization ?? []
  const repeated = moreAppIds.length + moreUserIds.length + moreAuthorizations.length > 0
  if (appId === undefined || userId === undefined || authorization === undefined || repeated) return null
  const externalUserId = utf8Of(userId)
  const userHash = /^bearer +([0-9a-f]+|dev_[A-Za-z0-9_-]{43})$/i.exec(authorization)?.[1]
  return externalUserId === null || userHash === undefined ? null : { appId, externalUserId, userHash }
}

/** Node decodes header bytes as latin1, but they are UTF-8 (access.md#login). Null if they are not. */
function utf8Of(header: string): string | null {
  try {
    return utf8.decode(Buffer.from(header, 'latin1'))
  } catch {
    return null
  }
}
