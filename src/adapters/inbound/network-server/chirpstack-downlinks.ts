import { isoAt } from '../../../core/ingest/event-time.ts'
import type { DownlinkSender } from '../../../ports/downlink-sender.ts'
import type { EventSourceConnection } from './chirpstack-mqtt.ts'

/**
 * Puts messages to trackers into the queue of ChirpStack v4 through the MQTT connection that its events come by: topic
 * `application/{application}/device/{devEui}/command/down`. A second try has the same id, which ChirpStack refuses
 * while the first one waits. `connection`: undefined while there is none. lorawan.md#what-the-wearer-sees.
 */
export const chirpStackMqttDownlinks = (connection: () => EventSourceConnection | undefined): DownlinkSender => ({
  async enqueue({ route, port, payload, ref, expiresAt }, timeoutMs) {
    const { application, devEui } = route
    const command = {
      id: ref,
      devEui,
      confirmed: true,
      fPort: port,
      data: Buffer.from(payload).toString('base64'),
      expiresAt: isoAt(expiresAt),
    }
    const topic = `application/${application}/device/${devEui}/command/down`
    const isTaken = await connection()?.publish(topic, JSON.stringify(command), timeoutMs)
    if (isTaken) return { kind: 'queued', ref }
    return { kind: 'failed', error: 'connection failed', retryable: true }
  },
})
