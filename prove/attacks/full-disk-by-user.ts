import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import { alertTopic, telemetryTopic } from '../../bench/load/frames.ts'
import { newMoment } from '../../test/harness/moment.ts'
import { mountSmallDisk } from '../../test/harness/tmpfs.ts'
import type { Ground } from '../ground.ts'
import { flood } from './flood.ts'
import { attackPart, type Field } from './under-attack.ts'

const DISK_MB = 48
/** Left free by other programs; small, so that a few seconds are enough to fill it. */
const FREE_MB = 10
const RESERVE_MB = 4
const LETTER_BYTES = 60 * 1024
const MAX_PUBLISHES = 1_000_000

async function smallSite(ground: Ground) {
  const disk = mountSmallDisk(ground, DISK_MB)!
  await disk.fill(FREE_MB * MB)
  return {
    dataDir: join(disk.path, 'data'),
    // Without the log line for each dead letter, which is not the subject here.
    env: { TOCSIN_LIMITS_DISK_RESERVE_MB: String(RESERVE_MB), TOCSIN_LOG_LEVEL: 'error' },
  }
}

const MB = 1024 * 1024
const disk = `a disk with ${FREE_MB} MB free, ${RESERVE_MB} of them reserved`

const freeMb = ({ site }: Field): string => {
  const { bavail, bsize } = statfsSync(site.dataDir)
  return `${((bavail * bsize) / 1e6).toFixed(1)} MB free in the end`
}

/** One user's dead letters must not fill the disk. */
export const deadLetters = attackPart({
  name: 'dead-letters',
  what: `A publishes 60 KB of nonsense again and again, on ${disk}`,
  site: smallSite,
  reliefMs: 10_000,
  async run(field) {
    const { site, over } = field
    const user = await site.user('a')
    const payload = 'x'.repeat(LETTER_BYTES)
    const topic = telemetryTopic(user.userId)
    const { acknowledged, cutOff } = await flood({
      user,
      site,
      over,
      connections: 4,
      inFlight: 4,
      max: MAX_PUBLISHES,
      topic,
      payload: () => payload,
    })
    return `${acknowledged.toLocaleString('en')} taken in, cut off ${cutOff} times, ${freeMb(field)}`
  },
})

/** One user's distinct alerts must not fill the disk. */
export const distinctAlerts = attackPart({
  name: 'distinct-alerts',
  what: `A publishes distinct alerts as fast as they are taken in, on ${disk}`,
  site: smallSite,
  reliefMs: 10_000,
  async run(field) {
    const { site, over } = field
    const user = await site.user('a')
    const deviceId = 'x'.repeat(128)
    const topic = alertTopic(user.userId)
    const payload = () => JSON.stringify({ timestamp: newMoment(), deviceId, latitude: 46.5, longitude: 12.1 })
    const { acknowledged, cutOff } = await flood({
      user,
      site,
      over,
      connections: 8,
      inFlight: 100,
      max: MAX_PUBLISHES,
      topic,
      payload,
    })
    return `${acknowledged.toLocaleString('en')} taken in, cut off ${cutOff} times, ${freeMb(field)}`
  },
})
