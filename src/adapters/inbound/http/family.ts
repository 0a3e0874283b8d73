import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { answerFault } from './faults.ts'
import { ignoreBody, takeAnything, takeCsv, takeJson, takeJsonOrForm } from './json-body.ts'
import type { HttpParts } from './parts.ts'
import { answer, type FamilyName } from './problem.ts'
import { problemOf, type Refusal } from './refusals.ts'
import { errors } from './schemas/error.ts'
import { requireSession } from './sdk-session.ts'
import { limitUsers, throttleOf } from './throttle.ts'

/** The operator API has its own rules: operator/family.ts. */
type SdkFamily = Exclude<FamilyName, 'OPERATOR'>

type Family = {
  readonly tag: string
  readonly signedIn: boolean
  readonly unlimited?: boolean
  /**
   * As in `FastifyContextConfig`: the origins from which browsers may call it. The broker callbacks are not for
   * browsers.
   */
  readonly cors?: 'application' | 'any'
}

/** The differences between the families, apart from their routes. */
const families = {
  PROFILE: { tag: 'Profile', signedIn: true, cors: 'application' },
  CONTACTS: { tag: 'Contacts', signedIn: true, cors: 'application' },
  SOS: { tag: 'SOS', signedIn: true, cors: 'application' },
  TIMERS: { tag: 'Timers', signedIn: true, cors: 'application' },
  TELEMETRY: { tag: 'Telemetry', signedIn: true, cors: 'application' },
  DEVICES: { tag: 'Devices', signedIn: true, cors: 'application' },
  CONFIG: { tag: 'Device configuration', signedIn: false, cors: 'any' },
  FEEDBACK: { tag: 'Feedback', signedIn: true, cors: 'application' },
  TOKEN: { tag: 'Feedback', signedIn: true, cors: 'application' },
  // The broker sends the requests for all of its clients from one address.
  MQTT: { tag: 'Broker callbacks', signedIn: false, unlimited: true },
} as const satisfies Record<SdkFamily, Family>

type Scope = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>

/** `R`: how a use case's refusal is answered. */
export type FamilyRoutes<R> = {
  /** Routes with a JSON body or no body. */
  readonly json?: (scope: Scope, refuse: R) => void
  /** Routes with a JSON or form body. */
  readonly forms?: (scope: Scope, refuse: R) => void
  /** Routes with a CSV file as body. */
  readonly files?: (scope: Scope, refuse: R) => void
  /** Routes that read any body in their own way. */
  readonly anyBody?: (scope: Scope, refuse: R) => void
  /** Routes that ignore body and content type. */
  readonly bodiless?: (scope: Scope, refuse: R) => void
}

/** Sends the answer to a use case's refusal. */
type Refuse = (reply: FastifyReply, refusal: Refusal) => FastifyReply

/** How the routes of each kind read a body. */
const kinds = [
  ['json', takeJson],
  ['forms', takeJsonOrForm],
  ['files', takeCsv],
  ['anyBody', takeAnything],
  ['bodiless', ignoreBody],
] as const

/**
 * A family of routes under one name: its error codes, its session, how it reads bodies, and how the OpenAPI document
 * describes all of that (protocol.md#errors). Call the returned function to add it to an application.
 */
export function family(
  name: SdkFamily,
  { identify, log }: Pick<HttpParts, 'identify' | 'log'>,
  routes: FamilyRoutes<Refuse>,
): (app: FastifyInstance) => void {
  const { tag, signedIn, unlimited = false, cors }: Family = families[name]
  const refuse: Refuse = (reply, refusal) => answer(reply, name, problemOf(refusal))

  const settle = (scope: FastifyInstance): void => {
    scope.setErrorHandler(answerFault(name, log))
    scope.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store')
    })
    if (signedIn) requireSession(scope, name, { identify, slowDown: throttleOf(scope).slowDown })
    if (signedIn) limitUsers(scope, name)
    scope.addHook('onRoute', (route) => {
      const { response = {}, ...schema } = (route.schema ?? {}) as { response?: object }
      route.config = { family: name, ...(cors && { cors }), ...(unlimited && { unlimited }), ...route.config }
      const limited = unlimited || route.config?.unlimited ? {} : errors(429)
      const shared = { ...(signedIn && errors(401)), ...limited, ...errors(503) }
      route.schema = {
        tags: [tag],
        ...(signedIn && { security: [{ appId: [], userId: [], userHash: [] }] }),
        ...schema,
        response: { ...response, ...shared },
      }
    })
  }

  return addRoutes(routes, settle, refuse)
}

/** Adds the routes of each kind in a separate scope, which `settle` has given its rules. */
export const addRoutes =
  <R>(routes: FamilyRoutes<R>, settle: (scope: FastifyInstance) => void, refuse: R) =>
  (app: FastifyInstance): void => {
    for (const [kind, takeBody] of kinds) {
      const add = routes[kind]
      if (add === undefined) continue
      app.register((scope, _options, done) => {
        settle(scope)
        takeBody(scope)
        add(scope.withTypeProvider<ZodTypeProvider>(), refuse)
        done()
      })
    }
  }
