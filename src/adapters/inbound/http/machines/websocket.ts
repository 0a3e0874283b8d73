import type { FastifyInstance } from 'fastify'
import { WEBSOCKET_PATH } from '../listener/listener.ts'
import { answer } from '../problem.ts'

/** A request that reaches the router is not an upgrade: the listener hands upgrades to the broker. */
export function addWebsocketRoute(app: FastifyInstance): void {
  app.route({
    method: app.supportedMethods.filter((method) => method !== 'HEAD'),
    url: WEBSOCKET_PATH,
    schema: { hide: true },
    // Before the body is read.
    onRequest: async (_request, reply) =>
      answer(reply, null, {
        kind: 'UPGRADE_REQUIRED',
        message: 'This is MQTT over WebSocket, subprotocol mqtt.',
        headers: { upgrade: 'websocket', connection: 'Upgrade, close' },
      }),
    handler: async () => undefined,
  })
}
