import type { createIds } from '../adapters/platform/system/ids.ts'
import type { Service } from '../service.ts'

/** The moving position of the demonstration. Altitude in metres. */
export type DemoTracker = {
  presses(at: DemoPlace): Promise<void>
  moves(at: DemoPlace): Promise<void>
}
export type DemoPlace = { readonly latitude: number; readonly longitude: number; readonly altitude: number }

const SERVER = 'valley'
const DEV_EUI = 'A8-40-41-FF-FF-18-51-23'
const [REPORT_PORT, SOS_PORT] = [2, 3]
const BATTERY = 34

/** The network server of the demonstration, as in a configuration. */
export const radioConfig = (appId: string, token: string) => ({
  servers: { [SERVER]: { type: 'chirpstack', application: appId, token, profile: 'tocsin-12' } },
})

/**
 * A tracker behind ChirpStack, paired with the user: its uplinks come in as ChirpStack's HTTP integration sends them,
 * as twelve bytes (lorawan.md#twelve-bytes). Two gateways hear each.
 */
export async function radioTracker(
  { store, listeners }: Service,
  user: { readonly appId: string; readonly userId: string },
  { ids, token }: { readonly ids: ReturnType<typeof createIds>; readonly token: string },
): Promise<DemoTracker> {
  const now = Date.now()
  const { appId, userId } = user
  await store.registerHardware(appId, [{ hardwareId: DEV_EUI, codeHash: '', model: null }], now)
  const pairing = { id: ids.uuid(), appId, userId, hardwareId: DEV_EUI, firmwareVersion: null, hardwareModel: null }
  await store.pair({ ...pairing, now, limit: 1 })
  let counter = 0
  const uplink = async (port: number, data: Buffer): Promise<void> => {
    counter += 1
    const body = {
      deduplicationId: ids.uuid(),
      time: new Date().toISOString(),
      deviceInfo: { devEui: DEV_EUI, deviceName: 'Mia' },
      devAddr: '00189440',
      fCnt: counter,
      fPort: port,
      data: data.toString('base64'),
      rxInfo: [
        { gatewayId: '0016c001f153a14c', rssi: -112 },
        { gatewayId: '0016c001f153a14d', rssi: -118 },
      ],
    }
    const answered = await fetch(`${listeners.http}/v1/lorawan/${SERVER}?event=up`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answered.ok) throw new Error(`the uplink was answered with ${answered.status}`)
  }
  return {
    presses: (at) => uplink(SOS_PORT, twelveBytesOf(at, true)),
    moves: (at) => uplink(REPORT_PORT, twelveBytesOf(at, true)),
  }
}

function twelveBytesOf({ latitude, longitude, altitude }: DemoPlace, sos: boolean): Buffer {
  const bytes = Buffer.alloc(12)
  bytes.writeUInt8(0b0001_0010 | (sos ? 1 : 0), 0)
  bytes.writeUInt8(BATTERY, 1)
  bytes.writeInt32BE(Math.round(latitude * 1e7), 2)
  bytes.writeInt32BE(Math.round(longitude * 1e7), 6)
  bytes.writeUInt8(3, 10)
  bytes.writeUInt8(Math.round((altitude + 500) / 40), 11)
  return bytes
}
