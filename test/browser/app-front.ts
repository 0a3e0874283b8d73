import { once } from 'node:events'
import { request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import fastify, { type FastifyInstance } from 'fastify'
import { webAppRoutes } from '../../src/adapters/inbound/http/web-app/routes.ts'
import { consoleFiles } from '../../src/adapters/platform/console/built-files.ts'
import { appBundle } from '../../src/adapters/platform/console/sources.ts'
import type { WebApp } from '../../src/ports/web-apps.ts'
import type { Ending } from '../harness/ending.ts'

/** An invitation, as it is written in a code. */
export const INVITATION = `inv_${'a'.repeat(32)}`

const LOCAL_CA = {
  pem: '',
  fingerprint: Array.from({ length: 32 }, () => 'AB').join(':'),
  names: ['sos.example.org', 'localhost', '10.0.0.0/8', 'fc00::/7'],
}

type Own = {
  readonly app: WebApp
  /** Of whoever opens the invitation. */
  readonly enrolled: { readonly userId: string; readonly credential: string }
  readonly kind?: 'person' | 'device'
}

/** `service`: where it is now. With nothing else, the service has the app itself. */
type Behind = { readonly service: () => string } & (Own | { readonly app?: undefined })

/** What a network between a phone and the service does. */
export type Front = {
  readonly url: string
  /** Nothing gets through, in either direction. */
  isDown: boolean
  /** The next answers of the API are lost, after they were carried out. */
  losesAnswers: number
  /** Keys of enrolments, in the order of their requests. */
  readonly keys: string[]
  /** The paths that were asked for. */
  readonly asked: string[]
}

/** The app and an enrolment without rules, for a phone before a service that has none. */
async function ownApp({ app, enrolled, kind = 'person' }: Own, keys: string[]): Promise<FastifyInstance> {
  const files = fastify({ forceCloseConnections: true })
  const apps = { isAnyOn: async () => true, find: async (id: string) => (id === app.id ? app : null) }
  files.register(
    webAppRoutes({ apps, files: consoleFiles(appBundle.built), localCa: () => LOCAL_CA, needsHttps: () => false }),
  )
  files.get(`/v1/app/applications/${app.id}`, async () => app)
  files.post<{ Body: { invitation: string } }>('/v1/app/invitations/look', async ({ body }, reply) => {
    if (body.invitation !== INVITATION) return reply.code(404).send({ error: { code: 'E_APP_INVITATION_UNKNOWN' } })
    return { application: app, kind, expiresAt: '2030-01-01T00:00:00.000Z', placesLeft: 1 }
  })
  files.post<{ Body: { key: string } }>('/v1/app/enrolments', async ({ body }, reply) => {
    keys.push(body.key)
    return reply.code(201).send({ appId: app.id, deviceId: '0190cccc-0000-7000-8000-000000000001', ...enrolled })
  })
  await files.ready()
  return files
}

/** A service before a real one, with a network between them and a phone that fails when it is told to. */
export async function startFront(t: Ending, behind: Behind): Promise<Front> {
  const { service } = behind
  const keys: string[] = []
  const files = behind.app === undefined ? null : await ownApp(behind, keys)
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    front.asked.push(new URL(request.url ?? '', front.url).pathname)
    if (front.isDown) return void request.socket.destroy()
    const isOwn = files !== null && /^\/(?:app|trust|v1\/app)(?:[/?]|$)/.test(request.url ?? '')
    const isLost = front.losesAnswers > 0 && request.url?.startsWith('/v1/') === true
    if (isLost) front.losesAnswers -= 1
    if (isOwn && !isLost) return void files.routing(request, response)
    if (isOwn) {
      // It is carried out, and nobody hears of it.
      response.write = response.end = (() => request.socket.destroy()) as never
      return void files.routing(request, response)
    }
    const { method, headers } = request
    const onward = ask(service() + request.url, { method, headers }, (got) => {
      if (isLost) return void request.socket.destroy()
      response.writeHead(got.statusCode!, got.headers)
      got.pipe(response)
      got.once('error', () => response.destroy())
    })
    onward.once('error', () => request.socket.destroy())
    response.once('close', () => onward.destroy())
    request.pipe(onward)
  }
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(async () => {
    server.closeAllConnections()
    server.close()
    await files?.close()
  })
  let isDown = false
  const front: Front = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get isDown() {
      return isDown
    },
    set isDown(next) {
      isDown = next
      if (next) server.closeAllConnections()
    },
    losesAnswers: 0,
    keys,
    asked: [],
  }
  return front
}
