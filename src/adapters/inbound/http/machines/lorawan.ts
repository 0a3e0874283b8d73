import type { FastifyPluginCallback } from 'fastify'
import { z } from 'zod'
import type { takeUplink } from '../../../../app/field/take-uplink.ts'
import type { NetworkServer } from '../../../../core/field/lorawan/network-event.ts'
import { chirpStackEvent, theThingsStackEvent } from '../../../../core/field/lorawan/network-event.ts'
import type { Meter } from '../../../../ports/meter.ts'
import type { Logging } from '../admission/admission.ts'
import { bearsToken } from '../admission/operator-access.ts'
import { throttleOf } from '../admission/throttle.ts'
import { answerFault } from '../answers/faults.ts'
import { takeBytes } from '../bodies/json-body.ts'
import { asSent } from '../bodies/validation.ts'
import { answer, type Problem } from '../problem.ts'
import { errors } from '../schemas/error.ts'

/** As over MQTT. An uplink that 64 gateways heard takes a tenth of that; the rest is for what a codec returns. */
const BODY_LIMIT_BYTES = 256 * 1024
/** Compared for a server that does not exist or has no token, so that its name takes as long as any other. */
const NO_TOKEN = 'no network server has this token'

const UNAUTHORIZED: Problem = {
  kind: 'UNAUTHORIZED',
  message: 'Authorization: Bearer <token> of this network server is needed.',
  headers: { 'www-authenticate': 'Bearer' },
}

const docs = {
  operationId: 'takeNetworkServerEvent',
  tags: ['Network servers'],
  summary: 'An event of a LoRaWAN network server',
  description:
    'ChirpStack’s HTTP integration, or a webhook of The Things Stack. Uplinks become telemetry and SOS of the owner of the tracker with that DevEUI. 204 means that the event is stored, or kept as a dead letter. Never rate limited.',
  security: [{ networkServerToken: [] }],
  params: z.object({ server: z.string().meta({ description: 'Its name in `lorawan.servers`' }) }),
  querystring: z.object({
    event: z.string().optional().meta({ description: 'ChirpStack: the kind of event, which it adds itself' }),
  }),
  body: z.object({}).meta({ description: 'The JSON of ChirpStack v4 or The Things Stack v3, up to 256 KiB' }),
  response: { 204: z.null(), ...errors(401, 413, 503) },
  examples: {
    parameters: { server: 'valley', event: 'up' },
    body: {
      time: '2026-07-04T09:12:31Z',
      deviceInfo: { devEui: 'a84041ffff185123', deviceName: 'Mia' },
      devAddr: '00189440',
      fCnt: 17,
      fPort: 3,
      data: 'k1Ab9krA+U24cgVB',
    },
  },
}

export type LorawanNeeds = Logging & {
  readonly meter: Meter
  /** LoRaWAN network servers by their name, each with its token, as they are at each request. */
  readonly lorawan?: {
    readonly servers: ReadonlyMap<string, { readonly server: NetworkServer; readonly token: string | null }>
    readonly take: ReturnType<typeof takeUplink>
  }
}

/**
 * Uplinks of LoRaWAN network servers over HTTP: ChirpStack's HTTP integration (`?event=up`) and webhooks of The Things
 * Stack. Never rate-limited: any of them may be an SOS. lorawan.md.
 */
export const lorawanRoutes =
  ({ lorawan, log, meter }: LorawanNeeds): FastifyPluginCallback =>
  (app, _options, done) => {
    if (lorawan === undefined) return done()
    app.setErrorHandler(answerFault(null, log))
    takeBytes(app, BODY_LIMIT_BYTES)
    const options = {
      bodyLimit: BODY_LIMIT_BYTES,
      schema: docs,
      validatorCompiler: asSent,
      config: { unlimited: true },
    }

    app.decorateRequest('networkServer', null)

    // Before the body is read. An uplink that was admitted is taken, whatever is set meanwhile.
    app.addHook('onRequest', async (request, reply) => {
      const { server } = request.params as { readonly server: string }
      const known = lorawan.servers.get(server)
      const isRight = bearsToken(request, known?.token ?? NO_TOKEN)
      if (known?.token != null && isRight) return request.setDecorator('networkServer', known.server)
      if (known?.token != null) {
        meter.count('lorawan_events_total', { server, result: 'unauthorized' })
        log.warn({ server }, 'a network server was refused: the token is wrong', server)
      }
      await throttleOf(app).slowDown(request)
      return answer(reply, null, UNAUTHORIZED)
    })

    app.post('/v1/lorawan/:server', options, async (request, reply) => {
      const { event } = request.query as { readonly event?: unknown }
      const server = request.getDecorator<NetworkServer>('networkServer')
      const raw = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      const body = jsonIn(raw)
      const read = server.type === 'tts' ? theThingsStackEvent(body) : chirpStackEvent(eventIn(event), body)
      await lorawan.take(server, read, raw)
      return reply.code(204).send()
    })
    done()
  }

/** ChirpStack appends its own query, even to an address that has one. Empty if absent. */
function eventIn(event: unknown): string {
  const last = Array.isArray(event) ? event.at(-1) : event
  return typeof last === 'string' ? last : ''
}

function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
