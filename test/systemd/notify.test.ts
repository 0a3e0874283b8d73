import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNotifySocket } from '../../src/adapters/platform/system/notify-socket.ts'
import { startProcessSite, UNHURRIED } from '../harness/process-site.ts'
import { until } from '../harness/wait.ts'
import { listenForNotices } from './notify-listener.ts'

test('the service reports ready, alive and stopping', async (t) => {
  const { path, said } = await listenForNotices(t)
  const env = { NOTIFY_SOCKET: path, WATCHDOG_USEC: '800000' }
  const site = await startProcessSite(t, { settings: UNHURRIED, env })
  await until('fed more than once', () => said.filter((line) => line === 'WATCHDOG=1').length >= 3)
  assert.equal(await site.stop(), 0)
  await until('told that it stops', () => said.includes('STOPPING=1'))
  assert.equal(said[0], 'READY=1')
  assert.equal(said.filter((line) => line === 'READY=1').length, 1)
  assert.equal(said.lastIndexOf('WATCHDOG=1') < said.indexOf('STOPPING=1'), true)
})

test('a service that cannot start never reports ready', async (t) => {
  const { path, said } = await listenForNotices(t)
  const site = await startProcessSite(t, { settings: UNHURRIED, env: { NOTIFY_SOCKET: path } })
  // The last line of the message that says so.
  await until('ready', () => said.includes('STATUS=accepting alerts'))
  const first = said.length
  await assert.rejects(site.start(), /is already running Tocsin/)
  assert.deepEqual(said.slice(first), [])
})

test('without a service manager, or one that watches another process, nothing is fed', async () => {
  const log = { info() {}, warn() {}, error() {} }
  assert.equal(createNotifySocket({}, log).watchdogMs, null)
  const env = { NOTIFY_SOCKET: '/nowhere', WATCHDOG_USEC: '5000000' }
  assert.equal(createNotifySocket({ ...env, WATCHDOG_PID: '1' }, log).watchdogMs, null)
  assert.equal(createNotifySocket({ ...env, WATCHDOG_PID: String(process.pid) }, log).watchdogMs, 5000)
})

test('an unreachable service manager is logged and stops nothing', async () => {
  const errors: unknown[] = []
  const log = { info() {}, warn() {}, error: (fields: unknown) => void errors.push(fields) }
  const socket = createNotifySocket({ PATH: '/nowhere', NOTIFY_SOCKET: '/nowhere' }, log)
  await socket.tell('READY=1')
  assert.deepEqual(errors, [{ code: 'ENOENT' }])
})
