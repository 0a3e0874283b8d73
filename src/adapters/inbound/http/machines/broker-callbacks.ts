import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { mqttCallbacks } from '../../../../app/connections/mqtt-callbacks.ts'
import type { Logging } from '../admission/admission.ts'
import { bearsToken, isLocalRequest } from '../admission/operator-access.ts'
import { logFault, problemOfFault, routeOf } from '../answers/faults.ts'
import { family } from '../family.ts'
import { answer, statusOf } from '../problem.ts'
import { errors } from '../schemas/error.ts'
import { APP_ID, USER_ID } from '../sdk/examples.ts'

const PATH = '/v1/sdk/mqtt/auth'

const connectSchema = z.object({
  username: z.string(),
  password: z.string(),
  clientid: z.string().nullish(),
})

/**
 * Mosquitto plug-ins send this number instead of `action`: read, write, both, subscribe. A read is the delivery of a
 * subscription.
 */
const actionsOfAcc = {
  1: ['subscribe'],
  2: ['publish'],
  3: ['subscribe', 'publish'],
  4: ['subscribe'],
} as const

const accessSchema = z.object({
  username: z.string(),
  clientid: z.string().nullish(),
  topic: z.string(),
  action: z.enum(['publish', 'subscribe']).optional(),
  acc: z
    .union([z.literal([1, 2, 3, 4]), z.literal(['1', '2', '3', '4'])])
    .optional()
    .meta({ description: 'Instead of `action`: 1 read, 2 write, 3 both, 4 subscribe' }),
})

const allowSchema = z.object({ result: z.enum(['allow', 'deny']) })
const denySchema = z.object({ result: z.literal('deny') })

const actionsOf = ({ action, acc }: z.infer<typeof accessSchema>) =>
  action !== undefined ? [action] : acc !== undefined ? actionsOfAcc[acc] : []

const username = `sdk:${APP_ID}:mia@hikers`
const clientid = `svc_${APP_ID}_mia`
const answersOf = { 200: { result: 'allow' }, 403: { result: 'deny' } }

export type BrokerCallbackNeeds = Logging & {
  readonly mqttCallbacks: Pick<ReturnType<typeof mqttCallbacks>, 'mayConnect' | 'mayAccess'>
  /** `mqtt.callbackToken`; without it, only an external broker on this machine is served. */
  readonly callbackToken?: string | null
  /** `mqtt.callbackDenyStatus`. */
  readonly callbackDenyStatus?: 200 | 403
}

/**
 * Answers an external broker's requests on CONNECT, publish and subscribe (protocol.md#broker-callbacks). Everything
 * but an explicit allow is a deny, including requests that cannot be read or checked: brokers treat an unknown status
 * as no opinion, and then let the client through.
 */
export const brokerCallbackRoutes = (needs: BrokerCallbackNeeds) => {
  const { mqttCallbacks, callbackToken = null, callbackDenyStatus = 403, log } = needs
  const deny = (reply: FastifyReply) => reply.code(callbackDenyStatus).send({ result: 'deny' })
  const decide = (reply: FastifyReply, allowed: boolean) =>
    allowed ? reply.send({ result: 'allow' as const }) : deny(reply)
  const errorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    logFault(log, request, error)
    const { kind, message } = problemOfFault(error)
    if (statusOf[kind] < 500) {
      log.warn(
        { route: routeOf(request), problem: message },
        'a broker callback was denied because its body could not be read',
      )
    }
    return deny(reply)
  }
  const response = { 200: allowSchema, 403: denySchema, ...errors(401) }

  return family('MQTT', needs, {
    forms(scope) {
      scope.addHook('onRequest', async (request, reply) => {
        if (callbackToken === null ? isLocalRequest(request) : bearsToken(request, callbackToken)) return
        const headers = { 'www-authenticate': 'Bearer' }
        return answer(reply, 'MQTT', { kind: 'UNAUTHORIZED', message: 'Only the broker may call this.', headers })
      })
      scope.post(
        `${PATH}/connect`,
        {
          errorHandler,
          schema: {
            operationId: 'authorizeMqttConnect',
            summary: 'Checks whether a client may connect',
            description:
              'For an external MQTT broker: checks whether a client may connect. JSON or form-encoded. Treat anything but an allow as a deny.',
            body: connectSchema,
            response,
            examples: { body: { username, password: 'a3f1'.repeat(16), clientid }, answers: answersOf },
          },
        },
        async ({ body }, reply) =>
          decide(reply, await mqttCallbacks.mayConnect(body.username, body.password, body.clientid ?? '')),
      )

      scope.post(
        `${PATH}/acl`,
        {
          errorHandler,
          schema: {
            operationId: 'authorizeMqttAccess',
            summary: 'Checks whether a client may publish or subscribe',
            description:
              'For an external MQTT broker: checks whether a client may publish or subscribe. JSON or form-encoded. Treat anything but an allow as a deny.',
            body: accessSchema,
            response,
            examples: {
              body: { username, clientid, topic: `sos/alerts/${USER_ID}`, action: 'publish' },
              answers: answersOf,
            },
          },
        },
        async ({ body }, reply) => {
          const { username, topic } = body
          return decide(reply, await mqttCallbacks.mayAccess({ username, topic, actions: actionsOf(body) }))
        },
      )
    },
  })
}
