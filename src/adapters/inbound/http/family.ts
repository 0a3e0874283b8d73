import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyPluginCallback,
  FastifyReply,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { answerFault } from './faults.ts'
import { ignoreBody, takeJson, takeJsonOrForm } from './json-body.ts'
import type { HttpParts } from './parts.ts'
import { answer, type FamilyName } from './problem.ts'
import { problemOf, type Refusal } from './refusals.ts'
import { errors } from './schemas/error.ts'
import { requireSession } from './sdk-session.ts'
import { limitUsers, throttleOf } from './throttle.ts'

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
  TELEMETRY: { tag: 'Telemetry', signedIn: true, cors: 'application' },
  DEVICES: { tag: 'Devices', signedIn: true, cors: 'application' },
  CONFIG: { tag: 'Device configuration', signedIn: false, cors: 'any' },
  FEEDBACK: { tag: 'Feedback', signedIn: true, cors: 'application' },
  TOKEN: { tag: 'Feedback', signedIn: true, cors: 'application' },
  // The broker sends the requests for all of its clients from one address.
  MQTT: { tag: 'Broker callbacks', signedIn: false, unlimited: true },
} as const satisfies Record<FamilyName, Family>

type Scope = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>

export type FamilyRoutes = {
  /** Routes with a JSON body or no body. */
  readonly json?: (scope: Scope, refuse: Refuse) => void
  /** Routes with a JSON or form body. */
  readonly forms?: (scope: Scope, refuse: Refuse) => void
  /** Routes that ignore body and content type. */
  readonly bodiless?: (scope: Scope, refuse: Refuse) => void
}

/** Sends the answer to a use case's refusal. */
type Refuse = (reply: FastifyReply, refusal: Refusal) => FastifyReply

/**
 * A family of routes under one name: its error codes, its session, how it reads bodies, and how the OpenAPI document
 * describes all of that (protocol.md#errors).
 */
export function family(
  name: FamilyName,
  { identify, log }: Pick<HttpParts, 'identify' | 'log'>,
  routes: FamilyRoutes,
): FastifyPluginCallback {
  const { tag, signedIn, unlimited = false, cors }: Family = families[name]
  const refuse: Refuse = (reply, refusal) => answer(reply, name, problemOf(refusal))
  const inScope = (read: (scope: FastifyInstance) => void, add: (scope: Scope, refuse: Refuse) => void) =>
    ((scope, _options, done) => {
      read(scope)
      add(scope.withTypeProvider<ZodTypeProvider>(), refuse)
      done()
    }) satisfies FastifyPluginCallback

  return (app, _options, done) => {
    app.setErrorHandler(answerFault(name, log))
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store')
    })
    if (signedIn) requireSession(app, name, { identify, slowDown: throttleOf(app).slowDown })
    if (signedIn) limitUsers(app, name)
    app.addHook('onRoute', (route) => {
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
    if (routes.json !== undefined) app.register(inScope(takeJson, routes.json))
    if (routes.forms !== undefined) app.register(inScope(takeJsonOrForm, routes.forms))
    if (routes.bodiless !== undefined) app.register(inScope(ignoreBody, routes.bodiless))
    done()
  }
}
