import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { anyone, type FamilyAdmission, type Logging } from './admission/admission.ts'
import { type OperatorAdmission, operators } from './admission/operators.ts'
import { type UserAdmission, users } from './admission/users.ts'
import { answerFault } from './answers/faults.ts'
import { acceptAnyBody, ignoreBody, takeCsv, takeJson, takeJsonOrForm } from './bodies/json-body.ts'
import type { FamilyName } from './problem.ts'
import { operatorRefusals, type RefusalOf, type Refusals, type Refuse, refusing, sdkRefusals } from './refusals.ts'
import { errors } from './schemas/error.ts'

declare module 'fastify' {
  interface FastifySchema {
    /** Example values for the OpenAPI document. `answers`: of the answers that have a body, by status. */
    examples?: {
      readonly parameters?: Readonly<Record<string, unknown>>
      readonly body?: unknown
      readonly answers?: Readonly<Record<number, unknown>>
    }
  }
}

type Family<N extends Logging> = {
  readonly tag: string
  readonly admission: FamilyAdmission<N>
  readonly unlimited?: boolean
  /**
   * As in `FastifyContextConfig`: the origins from which browsers may call it. The broker callbacks are not for
   * browsers.
   */
  readonly cors?: 'application' | 'any'
}

/** Needs of the admission to a family. */
type Needs<F extends FamilyName> = F extends 'OPERATOR'
  ? OperatorAdmission
  : F extends 'CONFIG' | 'MQTT' | 'APP'
    ? Logging
    : UserAdmission

/** The differences between the families, apart from their routes. */
const families: { readonly [F in FamilyName]: Family<Needs<F>> } = {
  PROFILE: { tag: 'Profile', admission: users, cors: 'application' },
  CONTACTS: { tag: 'Contacts', admission: users, cors: 'application' },
  SOS: { tag: 'SOS', admission: users, cors: 'application' },
  EVENTS: { tag: 'SOS', admission: users, cors: 'application' },
  MESSAGES: { tag: 'SOS', admission: users, cors: 'application' },
  TIMERS: { tag: 'Timers', admission: users, cors: 'application' },
  DRILLS: { tag: 'Exercises', admission: users, cors: 'application' },
  TELEMETRY: { tag: 'Telemetry', admission: users, cors: 'application' },
  DEVICES: { tag: 'Devices', admission: users, cors: 'application' },
  CONFIG: { tag: 'Device configuration', admission: anyone, cors: 'any' },
  FEEDBACK: { tag: 'Feedback', admission: users, cors: 'application' },
  TOKEN: { tag: 'Feedback', admission: users, cors: 'application' },
  APP: { tag: 'The app in the box', admission: anyone },
  // The broker sends the requests for all of its clients from one address.
  MQTT: { tag: 'Broker callbacks', admission: anyone, unlimited: true },
  // It counts callers itself, so that traffic of users does not keep operators out.
  OPERATOR: { tag: 'Operator', admission: operators, unlimited: true },
}

type Scope = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>

type AddRoutes<N extends string> = (scope: Scope, refuse: Refuse<N>) => void

/** The routes of a noun, and the answers to the refusals that are only theirs. */
type NounRoutes<N extends string, R extends Refusals> = {
  readonly refusals?: R
  /** Routes with a JSON body or no body. */
  readonly json?: AddRoutes<N>
  /** Routes with a JSON or form body. */
  readonly forms?: AddRoutes<N>
  /** Routes with a CSV file as body. */
  readonly files?: AddRoutes<N>
  /** Routes that read any body in their own way. */
  readonly anyBody?: AddRoutes<N>
  /** Routes that ignore body and content type. */
  readonly bodiless?: AddRoutes<N>
}

/** Body readers of the routes of each kind. */
const kinds = [
  ['json', takeJson],
  ['forms', takeJsonOrForm],
  ['files', takeCsv],
  ['anyBody', acceptAnyBody],
  ['bodiless', ignoreBody],
] as const

/**
 * Routes of a noun in a family: its error codes, its admission, how it reads bodies, and how the OpenAPI document
 * describes all of that (protocol.md#errors). Call the returned function to add them to an application.
 */
export function family<F extends FamilyName, R extends Refusals = Record<never, never>>(
  name: F,
  needs: Needs<F>,
  { refusals, ...routes }: NounRoutes<RefusalOf<F, R>, R>,
): (app: FastifyInstance) => void {
  const { tag, admission, unlimited = false, cors }: Family<Needs<F>> = families[name]
  const shared: Refusals = name === 'OPERATOR' ? operatorRefusals : sdkRefusals
  const refuse: Refuse<RefusalOf<F, R>> = refusing(name, { ...shared, ...refusals })

  const settle = (scope: FastifyInstance): void => {
    scope.setErrorHandler(answerFault(name, needs.log))
    scope.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store')
    })
    admission.admit(scope, name, needs)
    scope.addHook('onRoute', (route) => {
      const { security, statuses, note } = admission.describe(route)
      const { response = {}, description, ...schema } = route.schema ?? {}
      route.config = { family: name, ...(cors && { cors }), ...(unlimited && { unlimited }), ...route.config }
      route.schema = {
        tags: [tag],
        ...(security && { security }),
        ...schema,
        ...(description !== undefined && { description: note === undefined ? description : `${description} ${note}` }),
        response: { ...(response as object), ...errors(...statuses, ...(route.config.unlimited ? [] : [429]), 503) },
      }
    })
  }

  return (app) => {
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
}
