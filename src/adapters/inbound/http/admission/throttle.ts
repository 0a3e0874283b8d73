import { setTimeout as sleep } from 'node:timers/promises'
import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { FailedLogins } from '../../../../core/pacing/failed-logins.ts'
import { MINUTE } from '../../../../lib/durations.ts'
import { FairTurns } from '../../../../lib/fair-turns.ts'
import type { LoopTurns } from '../../../../lib/loop-turns.ts'
import { networkOf } from '../../../../lib/network-of.ts'
import { yieldPlace } from '../listener/connections.ts'
import { answer, type FamilyName } from '../problem.ts'
import { callerOf } from './caller.ts'
import { sessionOf } from './session.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Never rate-limited: raising and closing an alarm. */
    unlimited?: boolean
    /** Counted separately: requests to other routes must not make the service look unhealthy. */
    upkeep?: boolean
    /** The route family that it belongs to. */
    family?: FamilyName
  }
}

/** Seconds until the next request is allowed, or null if this one is. */
type Limit = (request: FastifyRequest) => Promise<number | null>

type Throttle = {
  readonly user: Limit
  /** Streams of events that a user opens. */
  readonly streams: Limit
  /** The main thread, which callers share in turn. */
  readonly loop: LoopTurns
  /** Requests for one tracking link from one address: other links and other readers there have their own. */
  readonly link: Limit
  /**
   * Requests of an operator or API token; by address, unauthenticated requests to the operator API; and, counted
   * separately, sign-ins: an open page that has been signed out must not keep anyone from signing in.
   */
  readonly operator: {
    readonly caller: Limit
    readonly stranger: Limit
    readonly visitor: Limit
    /**
     * For what reads more than a few rows: the thread and the database that it uses are also those of alarms. Changes
     * have separate turns: no screen goes blind because the disk is slow.
     */
    readonly turns: { readonly reads: FairTurns; readonly changes: FairTurns }
  }
  /** Delays the answer to a wrong hash, longer with every one from the same address. Correct ones never wait. */
  readonly slowDown: (request: FastifyRequest) => Promise<void>
}

/** A page and its map take some ten requests, and one without script reloads itself twice a minute. */
export const REQUESTS_PER_LINK = 600

/** Three devices that each come back every three seconds. */
export const STREAMS_PER_USER = 60

/** Twenty screens of one account read the board again with each event. */
const OPERATOR_TURNS = { atOnce: 2, maxWaiting: 40 }

/** Requests per minute of one user and of one address; 0 means no limit (limits.md#http). */
type RequestLimits = { readonly perUser: number; readonly perAddress: number }

export type ThrottleNeeds = {
  /** `limits.requestsPerMinutePer…`; absent: no limit. */
  readonly requestLimits?: RequestLimits
  /** Makes a refusal that must come late wait for so many milliseconds. Default: a timer. */
  readonly wait?: (ms: number) => Promise<void>
}

const NO_LIMITS: RequestLimits = { perUser: 0, perAddress: 0 }
const waitOnTimer = (ms: number): Promise<void> => sleep(ms, undefined, { ref: false })

const addressOf = ({ ip }: FastifyRequest): string => networkOf(ip)
const linkOf = (request: FastifyRequest): string =>
  `${addressOf(request)} ${(request.params as { token: string }).token}`
const userOf = (request: FastifyRequest): string => sessionOf(request).userId
const operatorOf = (request: FastifyRequest): string => callerOf(request).actor.id

/**
 * Counts every request by address before examining anything else, whatever it asks for (docs, health and unknown paths
 * included), and makes the counters that the route families use for their users. Alarms, their closing and everything
 * that belongs to them are exempt (`unlimited`). The operator API, exempt too, has separate counters: traffic of users
 * must not keep a rescue centre at the same address out.
 */
export async function throttleRequests(
  app: FastifyInstance,
  { requestLimits = NO_LIMITS, wait = waitOnTimer, loop }: ThrottleNeeds & Pick<Throttle, 'loop'>,
): Promise<void> {
  const { perUser, perAddress } = requestLimits
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
  const [byAddress, upkeepByAddress] = [limit(perAddress, addressOf), limit(perAddress, addressOf)]
  app.addHook('onRequest', async (request, reply) => {
    const { unlimited, upkeep, family = null } = request.routeOptions.config
    if (unlimited) return
    const seconds = await (upkeep ? upkeepByAddress : byAddress)(request)
    if (seconds !== null) return tooMany(reply, family, seconds)
  })
  const throttle: Throttle = {
    user: limit(perUser, userOf),
    streams: limit(STREAMS_PER_USER, userOf),
    loop,
    link: limit(REQUESTS_PER_LINK, linkOf),
    operator: {
      caller: limit(perUser, operatorOf),
      stranger: limit(perAddress, addressOf),
      visitor: limit(perAddress, addressOf),
      turns: { reads: new FairTurns(OPERATOR_TURNS), changes: new FairTurns(OPERATOR_TURNS) },
    },
    async slowDown(request) {
      const address = addressOf(request)
      const delayMs = wrongHashes.delayMs(address, performance.now())
      wrongHashes.failed(address, performance.now())
      yieldPlace(request.raw)
      if (delayMs > 0) await wait(delayMs)
    },
  }
  app.decorate('throttle', throttle)
}

export const throttleOf = (scope: FastifyInstance): Throttle => scope.getDecorator<Throttle>('throttle')

/** Counts the requests of this scope by user, once the session is known: no user can use up another's quota. */
export function limitUsers(scope: FastifyInstance, family: FamilyName): void {
  const { user } = throttleOf(scope)
  scope.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.unlimited) return
    const seconds = await user(request)
    if (seconds !== null) return tooMany(reply, family, seconds)
  })
}

export const tooMany = (reply: FastifyReply, family: FamilyName | null, seconds: number): FastifyReply =>
  answer(reply, family, {
    kind: 'RATE_LIMITED',
    message: `Too many requests. Try again in ${seconds} s.`,
    headers: { 'retry-after': String(seconds) },
  })
