import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import {
  defaultLimits,
  FIRST_BYTES,
  MAX_ALERTS_PER_USER,
  MAX_FRAMES,
  MAX_IDLE_FRAMES,
  STATE_MS,
  UNKNOWN_PACKET_BYTES,
  USER_TIME,
} from '../../src/adapters/inbound/broker/limits.ts'
import { CONNECTIONS_PER_ADDRESS, listenerTimes } from '../../src/adapters/inbound/http/listener/connections.ts'
import { MAX_CALLS_OF_ONE } from '../../src/adapters/stores/shared/commit-limits.ts'
import { configOf } from '../../src/config.ts'
import { PAIRING_LOCK_MS, PAIRING_TRIES } from '../../src/core/account/device.ts'

const root = new URL('../../', import.meta.url)
const textOf = (path: string): Promise<string> => readFile(new URL(path, root), 'utf8')
const page = await textOf('docs/security.md')
const limitsPage = await textOf('docs/reference/limits.md')

const read = configOf({})
assert.ok('config' in read)
const { limits, mqtt } = read.config

const grouped = (count: number): string => count.toLocaleString('en')
const KIB = 1024
const MINUTE = 60_000

/** Each row's name in the table of limits, and what it must contain. */
const rows: readonly (readonly [string, ...string[]])[] = [
  ['MQTT packet', `${mqtt.maxPacketBytes / KIB} KiB;`],
  ['WebSocket frames', `${grouped(MAX_FRAMES)} a second`, `with ${MAX_IDLE_FRAMES} a second`],
  ['until a CONNECT is complete', `${defaultLimits.connectMs / 1000} s`],
  ['publishes of a connection', `${limits.inFlightPerConnection}, or ${defaultLimits.inFlightBytes / KIB} KiB`],
  [
    'packets and bytes of a connection',
    `${grouped(limits.messagesPerSecondPerConnection)} and ${limits.bytesPerSecondPerConnection / KIB / KIB} MiB a second`,
  ],
  ['WebSocket message', `${UNKNOWN_PACKET_BYTES / KIB} KiB in all`],
  [
    "what a user's connections send together",
    `${USER_TIME.perSecond / 1000} s of`,
    `first ${FIRST_BYTES.atOnce / KIB} KiB`,
  ],
  ['alerts of a user', `${MAX_ALERTS_PER_USER}:`, `${MAX_CALLS_OF_ONE} share a commit`],
  ['connections of a user', `${grouped(defaultLimits.connectionsPerUser)}.`],
  ['events that wait', `${defaultLimits.backlogBytes / KIB} KiB or ${STATE_MS / 1000} s`],
  ['half-open QoS 2', `${grouped(defaultLimits.receiveMaximum)} (MQTT 5`],
  ['what a subscriber has not read', `${defaultLimits.backlogBytes / KIB} KiB`, `${defaultLimits.stallMs / 1000} s`],
  ['connections of an address', `| ${grouped(defaultLimits.pendingPerAddress)};`],
  ['HTTP connections of an address', `| ${grouped(CONNECTIONS_PER_ADDRESS)}`],
  ['HTTP headers', `within ${listenerTimes.headersMs / 1000} s`],
  ['HTTP body', `within ${listenerTimes.requestMs / 1000} s`],
  [
    'REST requests a minute',
    `${grouped(limits.requestsPerMinutePerUser)} a user, ${grouped(limits.requestsPerMinutePerAddress)} an address`,
  ],
  ['contacts and devices', `${limits.contactsPerUser} each`],
  ['wrong pairing codes', `${PAIRING_TRIES} lock it for ${PAIRING_LOCK_MS / MINUTE} min`],
  [
    'stored per user',
    `${limits.telemetryMbPerUser} MB of telemetry, ${grouped(limits.deadLetterKbPerUser)} KB of publishes that could not be processed, ${limits.feedbackPerUser} of feedback, ${grouped(limits.incidentsPerUser)} closed`,
  ],
  ['what waits for the disk', `${limits.waitingMb} MiB`],
  ['space on the disk', `${limits.diskReserveMb} MB are set aside`],
]

test('the limits on the page are those in force', () => {
  assert.equal(limits.contactsPerUser, limits.devicesPerUser)
  for (const [name, ...figures] of rows) {
    const row = limitsPage.split('\n').find((line) => line.startsWith(`| ${name}`))
    for (const figure of figures) assert.ok(row?.includes(figure), `${name}: ${figure}`)
  }
})

test('what the page says about the supply chain is true', async () => {
  const { packages } = JSON.parse(await textOf('package-lock.json'))
  const { dependencies } = JSON.parse(await textOf('package.json'))
  // What is built from this checkout comes from nowhere else.
  const own = ['', 'sdk', 'node_modules/@tocsin/sdk']
  const all: [string, any][] = Object.entries(packages).filter(([path]) => !own.includes(path)) as [string, any][]
  const needed = all.filter(([, { dev }]) => !dev)
  assert.match(page, new RegExp(`needs ${Object.keys(dependencies).length} packages`))
  assert.ok(Object.values(dependencies).every((version) => /^\d/.test(String(version))))
  const [, about] = /about (\d+) including their dependencies/.exec(page)!
  assert.ok(Math.abs(needed.length - Number(about)) < 20, `about ${about}: ${needed.length}`)
  assert.deepEqual(
    needed.filter(([, { integrity }]) => !/^sha512-/.test(integrity)),
    [],
  )
  assert.deepEqual(
    all.flatMap(([path, { hasInstallScript }]) => (hasInstallScript ? [path] : [])),
    ['node_modules/esbuild'],
  )
  assert.match(await textOf('.npmrc'), /^ignore-scripts=true$/m)
  assert.match(await textOf('systemd/install.sh'), /npm ci --omit=dev --ignore-scripts/)
})
