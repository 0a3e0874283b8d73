import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNotifySocket } from '../../src/adapters/platform/system/notify-socket.ts'
import { startProcessSite, UNHURRIED } from '../harness/process-site.ts'
import { until } from '../harness/wait.ts'
import { listenForNotices } from './notify-listener.ts'

const silent = { info() {}, warn() {}, error() {} }

test('the service reports ready, alive and stopping, and one that cannot start never reports ready', async (t) => {
  const [{ path, said }, refused] = [await listenForNotices(t), await listenForNotices(t)]
  const env = { NOTIFY_SOCKET: path, WATCHDOG_USEC: '800000' }
  const site = await startProcessSite(t, { settings: UNHURRIED, env })
  await until('fed more than once', () => said.filter((line) => line === 'WATCHDOG=1').length >= 3)

  await assert.rejects(site.start({ NOTIFY_SOCKET: refused.path }), /is already running Tocsin/)
  await createNotifySocket({ ...process.env, NOTIFY_SOCKET: refused.path }, silent).tell('STATUS=control')
  await until('the control is heard', () => refused.said.includes('STATUS=control'))
  assert.deepEqual(refused.said, ['STATUS=control'], 'a service that cannot start reports nothing')

  assert.equal(await site.stop(), 0)
  await until('told that it stops', () => said.includes('STOPPING=1'))
  assert.equal(said[0], 'READY=1')
  assert.equal(said.filter((line) => line === 'READY=1').length, 1)
  assert.equal(said.lastIndexOf('WATCHDOG=1') < said.indexOf('STOPPING=1'), true)
})

test('without a service manager, or one that watches another process, nothing is fed', async () => {
  assert.equal(createNotifySocket({}, silent).watchdogMs, null)
  const env = { NOTIFY_SOCKET: '/nowhere', WATCHDOG_USEC: '5000000' }
  assert.equal(createNotifySocket({ ...env, WATCHDOG_PID: '1' }, silent).watchdogMs, null)
  assert.equal(createNotifySocket({ ...env, WATCHDOG_PID: String(process.pid) }, silent).watchdogMs, 5000)
})

test('an unreachable service manager is logged and stops nothing', async () => {
  const errors: unknown[] = []
  const log = { info() {}, warn() {}, error: (fields: unknown) => void errors.push(fields) }
  const socket = createNotifySocket({ PATH: '/nowhere', NOTIFY_SOCKET: '/nowhere' }, log)
  await socket.tell('READY=1')
  assert.deepEqual(errors, [{ code: 'ENOENT' }])
})
