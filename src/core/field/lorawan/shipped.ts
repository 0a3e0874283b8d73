import { type UplinkProfiles, uplinkProfileSchema } from './profile.ts'

/**
 * Profiles of trackers whose documented uplinks the tests contain. Each names the paths of the manufacturer's codec, as
 * published in the device repository of The Things Network.
 */
export const shippedProfiles: UplinkProfiles = {
  /** The twelve-byte format, which needs no codec. Port 3 is the SOS, port 4 extends the timer. */
  'tocsin-12': uplinkProfileSchema.parse({
    decoder: 'tocsin-12',
    latitude: 'latitude',
    longitude: 'longitude',
    altitude: 'altitude',
    accuracy: 'accuracy',
    battery: { path: 'battery' },
    sos: { ports: [3], when: [{ path: 'sos', is: true }], press: 'press' },
    extendPort: 4,
  }),
  'dragino-trackerd': uplinkProfileSchema.parse({
    latitude: 'Latitude',
    // The spelling depends on the codec's version.
    longitude: ['Longitud', 'Longitude'],
    battery: { path: 'BatV', unit: 'volt', limits: [3.3, 3.5, 3.7] },
    sos: { when: [{ path: 'ALARM_status', is: ['TRUE', true] }] },
  }),
  abeeway: uplinkProfileSchema.parse({
    latitude: 'gpsLatitude',
    longitude: 'gpsLongitude',
    accuracy: 'horizontalAccuracy',
    sos: { when: [{ path: 'sosFlag', is: [1, true] }] },
  }),
  /** A tracker without a button: positions only. */
  'digital-matter-oyster': uplinkProfileSchema.parse({
    latitude: 'latitudeDeg',
    longitude: 'longitudeDeg',
    fix: [{ path: 'fixFailed', is: false }],
    battery: { path: 'batV', unit: 'volt', limits: [4.0, 4.3, 4.6] },
  }),
}
