import { setTimeout as wait } from 'node:timers/promises'
import rateLimit, { normalizeIP } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MINUTE } from '../../core/event-time.ts'
import { FailedLogins } from '../../core/failed-logins.ts'
import { answer, type FamilyName } from './problem.ts'
import { sessionOf } from './sdk-session.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Never refused for asking too often: raising and closing an alarm. */
    unlimited?: boolean
  }
}

/** How many requests a minute one user, and one address, may make; 0 is no limit. Decisions 7. */
export type RequestLimits = { readonly perUser: number; readonly perAddress: number }

/** Seconds until the next request is served, or null where this one is. */
type Limit = (request: FastifyRequest) => Promise<number | null>

type Throttle = {
  readonly address: Limit
  readonly user: Limit
  /** Holds back the answer to a wrong hash, the longer the more of them have come from its address. Right ones never wait. */
  readonly slowDown: (request: FastifyRequest) => Promise<void>
}

/** A provider's customer has a /64 network at the least, and thus all the addresses in it. */
const addressOf = ({ ip }: FastifyRequest): string => normalizeIP(ip, 64)
const userOf = (request: FastifyRequest): string => sessionOf(request).userId

/** Makes what all families of routes count with together. */
export async function throttleRequests(
  app: FastifyInstance,
  { perUser, perAddress }: RequestLimits = { perUser: 0, perAddress: 0 },
): Promise<void> {
  await app.register(rateLimit, { global: false })
  const limit = (max: number, keyGenerator: (request: FastifyRequest) => string): Limit => {
    if (max === 0) return async () => null
    const count = app.createRateLimit({ max, timeWindow: MINUTE, keyGenerator })
    return async (request) => {
      const counted = await count(request)
      return counted.isAllowed || !counted.isExceeded ? null : Math.max(1, counted.ttlInSeconds)
    }
  }
  const wrongHashes = new FailedLogins()
  const throttle: Throttle = {
    address: limit(perAddress, addressOf),
    user: limit(perUser, userOf),
    async slowDown(request) {
      const address = addressOf(request)
      const delayMs = wrongHashes.delayMs(address, performance.now())
      wrongHashes.failed(address, performance.now())
      if (delayMs > 0) await wait(delayMs, undefined, { ref: false })
    },
  }
  app.decorate('throttle', throttle)
}

export const throttleOf = (scope: FastifyInstance): Throttle => scope.getDecorator<Throttle>('throttle')

/** Counts the requests of this scope by address, before anything else is looked at. */
export const limitAddresses = (scope: FastifyInstance, family: FamilyName): void =>
  limitRequests(scope, family, throttleOf(scope).address)

/** Counts the requests of this scope by user, once the session is known: nobody can use up somebody else's. */
export const limitUsers = (scope: FastifyInstance, family: FamilyName): void =>
  limitRequests(scope, family, throttleOf(scope).user)

function limitRequests(scope: FastifyInstance, family: FamilyName, limit: Limit): void {
  scope.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.unlimited) return
    const seconds = await limit(request)
    if (seconds !== null) return tooMany(reply, family, seconds)
  })
}

const tooMany = (reply: FastifyReply, family: FamilyName, seconds: number): FastifyReply =>
  answer(reply, family, {
    kind: 'RATE_LIMITED',
    message: `There are too many requests. Please try again in ${seconds} s.`,
    headers: { 'retry-after': String(seconds) },
  })
