import { randomUUID } from 'node:crypto'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import type { CorsOrigins } from '../../../app/connections/cors-origins.ts'
import { LoopTurns } from '../../../lib/loop-turns.ts'
import type { ConsoleFiles } from '../../../ports/console-files.ts'
import type { Meter } from '../../../ports/meter.ts'
import type { Balancers } from '../door/balancers.ts'
import type { ThrottleNeeds } from './admission/throttle.ts'
import { throttleRequests } from './admission/throttle.ts'
import { answerInTime } from './answers/answer-in-time.ts'
import { allowOrigins } from './answers/cors.ts'
import { answerFault, routeOf } from './answers/faults.ts'
import { createPageSender } from './answers/send-page.ts'
import { answerUnmatched } from './answers/unmatched.ts'
import { validatorCompiler, withoutAjv } from './bodies/validation.ts'
import { readBodiesWhole } from './bodies/whole-body.ts'
import { serveConsole } from './console/routes.ts'
import { serveDocs } from './documents/docs-page.ts'
import { documentsOf } from './documents/documents.ts'
import { sendFrontPage } from './documents/front-page.ts'
import { type SdkPackage, serveSdk } from './documents/sdk-package.ts'
import type { ListenerTimes } from './listener/connections.ts'
import { isPlain } from './listener/plain-request.ts'
import type { BrokerCallbackNeeds } from './machines/broker-callbacks.ts'
import { brokerCallbackRoutes } from './machines/broker-callbacks.ts'
import type { LorawanNeeds } from './machines/lorawan.ts'
import { lorawanRoutes } from './machines/lorawan.ts'
import type { ProviderCallbackNeeds } from './machines/provider-callbacks.ts'
import { providerCallbackRoutes } from './machines/provider-callbacks.ts'
import type { TrackerNeeds } from './machines/trackers.ts'
import { trackerRoutes } from './machines/trackers.ts'
import type { UpkeepNeeds } from './machines/upkeep.ts'
import { addUpkeepRoutes } from './machines/upkeep.ts'
import { addWebsocketRoute } from './machines/websocket.ts'
import { mapRoutes } from './map/routes.ts'
import { siteMap } from './map/site-map.ts'
import { addOperatorRoutes, type OperatorNeeds } from './operator/routes.ts'
import { answer, type Problem, RequestProblem } from './problem.ts'
import { addSdkRoutes, type SdkNeeds } from './sdk/routes.ts'
import { LivePages } from './tracking/live-pages.ts'
import type { TrackingNeeds } from './tracking/routes.ts'
import { trackingRoutes } from './tracking/routes.ts'
import type { TalkPageNeeds } from './tracking/talk-routes.ts'
import { talkPageRoutes } from './tracking/talk-routes.ts'
import type { VerificationNeeds } from './verification/routes.ts'
import { verificationRoutes } from './verification/routes.ts'
import { type EnrolmentParts, enrolmentRoutes } from './web-app/enrolment.ts'
import { type WebAppParts, webAppRoutes } from './web-app/routes.ts'

type MachineNeeds = BrokerCallbackNeeds & ProviderCallbackNeeds & TrackerNeeds & LorawanNeeds & UpkeepNeeds
type PageNeeds = TrackingNeeds & TalkPageNeeds & VerificationNeeds

/** Needs of the REST interface and the pages: those of each noun, and the settings of the site. */
export type HttpNeeds = ThrottleNeeds &
  SdkNeeds &
  MachineNeeds &
  PageNeeds & {
    readonly meter: Meter
    /** Milliseconds since the database of several nodes last answered this one. Absent: there is none. */
    readonly databaseSilentMs?: () => number
    /** `http.trustProxy`: addresses or networks whose `X-Forwarded-…` headers are trusted, or true or false for all. */
    readonly trustProxy?: boolean | string | string[]
    /** The load balancers whose connections begin with a PROXY header. Absent: none. */
    readonly balancers?: Balancers | null
    /** `docs.enabled`: whether `/docs`, `/openapi.json` and `/asyncapi.json` are served. Default: true. */
    readonly docs?: boolean
    /** The use cases of the operator API. Absent: it is off (`console.enabled`). */
    readonly operator?: OperatorNeeds
    /** The built console. Absent: there is none. */
    readonly console?: ConsoleFiles
    /** How browsers enrol with the app in the box. */
    readonly enrolment: EnrolmentParts
    /** The app in the box. Absent: there is none. */
    readonly webApp?: WebAppParts
    /** The SDK of this version. Absent: `/sdk.tgz` says that it is not built. */
    readonly sdkPackage?: SdkPackage
    /** The origins from which browser apps may call. Default: none. */
    readonly corsOrigins?: CorsOrigins
    /** HTTP connections of all clients together, on all listeners. */
    readonly maxConnections?: number
    /** Time-outs of the listeners. Default: `listenerTimes`. */
    readonly times?: Partial<ListenerTimes>
  }

/** For every route except the append of telemetry rows. */
const BODY_LIMIT_BYTES = 64 * 1024

/**
 * The whole HTTP interface, in load order; it does not listen itself. Any number of Node servers can pass it their
 * requests through `app.routing`. `loop`: how they share the main thread with the listeners.
 */
export async function createApp(
  needs: HttpNeeds,
  livePages = new LivePages(needs),
  loop = new LoopTurns(),
): Promise<FastifyInstance> {
  const { log, meter, trustProxy = false, docs = true, corsOrigins = NO_ORIGINS } = needs
  const app = fastify({
    // Requests are never logged: their paths contain tracking tokens and their headers identify users.
    logger: false,
    genReqId: () => randomUUID(),
    bodyLimit: BODY_LIMIT_BYTES,
    trustProxy,
    return503OnClosing: false,
    // Routes judge path values of any length themselves: an overlong id is as unknown as any other.
    routerOptions: { maxParamLength: 16 * 1024 },
    schemaController: withoutAjv,
    // For requests that match no route, such as a path with broken percent-encoding.
    frameworkErrors: (_error, request, reply) => {
      meter.count('rest_requests_total', { route: 'unmatched', status: '400' })
      reply.headers(headersOf(request))
      answer(reply, null, { kind: 'VALIDATION', message: 'The path could not be decoded.' })
    },
  })
  app.setValidatorCompiler(validatorCompiler)
  // Response schemas are documentation only; they neither check nor change the output. Snapshots are open shapes
  // (protocol.md#snapshot).
  app.setSerializerCompiler(() => (body) => JSON.stringify(body))

  app.addHook('onRequest', async (request, reply) => {
    reply.headers(headersOf(request))
    if (!isPlain(request.raw)) throw new RequestProblem(NOT_PLAIN)
  })
  if (needs.databaseSilentMs !== undefined) answerInTime(app, needs.databaseSilentMs)
  app.addHook('onResponse', async (request, reply) => {
    meter.count('rest_requests_total', { route: routeOf(request), status: String(reply.statusCode) })
  })
  app.setErrorHandler(answerFault(null, log))

  readBodiesWhole(app)
  const documents = documentsOf(app, needs)
  allowOrigins(app, corsOrigins)
  await throttleRequests(app, { ...needs, loop })
  const allRoutesKnown = answerUnmatched(app, corsOrigins)
  addUpkeepRoutes(app, needs)
  addWebsocketRoute(app)
  enrolmentRoutes({ ...needs, enrolment: needs.enrolment })(app)
  addSdkRoutes(app, { ...needs, pages: createPageSender() })
  brokerCallbackRoutes(needs)(app)
  if (needs.operator !== undefined) addOperatorRoutes(app, { ...needs, ...needs.operator })
  app.register(trackingRoutes(needs, livePages))
  app.register(talkPageRoutes(needs))
  app.register(verificationRoutes(needs))
  app.register(mapRoutes(needs))
  app.register(providerCallbackRoutes(needs))
  app.register(trackerRoutes(needs))
  app.register(lorawanRoutes(needs))
  app.get('/', { schema: { hide: true } }, async (request, reply) => sendFrontPage(request, reply, docs))
  if (needs.console !== undefined) {
    serveConsole(app, needs.console, () => siteMap(needs)?.imageOrigins ?? [])
  }
  if (needs.webApp !== undefined) app.register(webAppRoutes(needs.webApp))
  serveSdk(app, needs.sdkPackage ?? (async () => null))
  if (docs) serveDocs(app, documents)
  app.after(allRoutesKnown)
  await app.ready()
  return app
}

const NOT_PLAIN: Problem = { kind: 'VALIDATION', message: 'The request must be HTTP/1 with at most one Host header.' }
const NO_ORIGINS = { isKnown: async () => false, isOf: async () => false }

/** Headers of every response. The request id is our own: one sent by a client could mislead readers of the log. */
const headersOf = ({ id }: FastifyRequest) => ({ 'x-request-id': id, 'x-content-type-options': 'nosniff' })
