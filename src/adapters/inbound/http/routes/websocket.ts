import type { FastifyPluginCallback } from 'fastify'
import { answer } from '../problem.ts'

/** Where MQTT over WebSocket lives. protocol.md#mqtt. */
export const WEBSOCKET_PATH = '/mqtt'

/** Whoever comes here as a router's request does not want to upgrade: the listener hands upgrades to the broker. */
export const websocketRoute: FastifyPluginCallback = (app, _options, done) => {
  app.route({
    method: app.supportedMethods.filter((method) => method !== 'HEAD'),
    url: WEBSOCKET_PATH,
    schema: { hide: true },
    // Before anything of a body is looked at.
    onRequest: async (_request, reply) =>
      answer(reply, null, {
        kind: 'UPGRADE_REQUIRED',
        message: 'This is MQTT over WebSocket, subprotocol mqtt.',
        headers: { upgrade: 'websocket', connection: 'Upgrade, close' },
      }),
    handler: async () => undefined,
  })
  done()
}
