import assert from 'node:assert/strict'
import { chown, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { PhoneUser } from '../harness/phone-user.ts'
import { until } from '../harness/wait.ts'
import { anyPorts } from './command-line.ts'
import { program } from './program.ts'

test('the command line and the running service work on the same site', async (t) => {
  const { answer, start } = await program(t, anyPorts)
  const { child, ready, lines, ended } = await start()
  assert.equal(ready.pid, child.pid)
  assert.match(ready.listeners.mqtt, /^mqtt:\/\/127\.0\.0\.1:\d+$/)
  assert.match(ready.listeners.http, /^http:\/\/127\.0\.0\.1:\d+$/)
  assert.deepEqual(Object.keys(ready.listeners).toSorted(), ['http', 'mqtt'])
  await until('the hint for a new site', () => lines().find(({ msg }) => /: tocsin app create/.test(msg)))

  const { appId, secret } = await answer('app', 'create', '--name', 'Hut', '--verify-contacts', 'off')
  await answer('app', 'actuator', 'set', appId, 'emergency_contacts', '--grace-seconds', '0')
  const user = new PhoneUser({ ...ready.listeners, appId, secret, externalUserId: 'hiker-1' })
  t.after(() => user.disconnect())
  await user.introduce({ name: 'Mia' })
  const { userHash } = await answer('user', 'hash', appId, 'hiker-1')
  assert.equal(userHash, user.hash)
  const { body: ana } = await user.rest('POST', '/v1/sdk/contacts', { name: 'Ana', phone: '+436600001' })
  const { contacts, notes, ...profile } = await answer('user', 'show', appId, 'hiker-1')
  assert.deepEqual([contacts, notes], [[ana], null])
  assert.deepEqual(await answer('user', 'list', appId), [profile])
  assert.deepEqual([profile.id, profile.name, profile.disabled], [user.userId, 'Mia', false])

  const client = await user.listen()
  await user.presses({ timestamp: '2026-03-01T12:00:00.123456789Z', latitude: 47, longitude: 12 })
  const [message] = await until('the SMS is in the outbox', async () => {
    const messages = await answer('outbox', 'list')
    return messages.length > 0 && messages
  })
  assert.deepEqual(Object.keys(message), ['id', 'incidentId', 'contactId', 'channel', 'to', 'text', 'createdAt'])
  assert.deepEqual([message.contactId, message.channel, message.to], [ana.id, 'sms', '+436600001'])
  const incident = await until('the SMS is told as sent', async () => {
    const open = await user.openIncident()
    return open.actuators.items[0].status === 'sent' && open
  })
  const row = { ...incident, externalUserId: 'hiker-1' }
  assert.deepEqual(await answer('incident', 'list', '--open'), [row])
  assert.deepEqual(await answer('incident', 'show', incident.incidentId), row)
  assert.deepEqual(await answer('outbox', 'list', '--incident', incident.incidentId), [message])

  await user.publishes(`tel/${user.userId}/data`, 'not JSON \u0000')
  const [letter] = await until('the dead letter is kept', async () => {
    const letters = await answer('dead-letter', 'list')
    return letters.length > 0 && letters
  })
  assert.deepEqual(Object.keys(letter), ['id', 'userId', 'topic', 'reason', 'payload', 'receivedAt'])
  assert.deepEqual([letter.userId, letter.topic], [user.userId, `tel/${user.userId}/data`])
  assert.equal(Buffer.from(letter.payload, 'base64').toString(), 'not JSON \u0000')

  const resolved = await answer('incident', 'resolve', incident.incidentId)
  assert.equal(resolved.status, 'resolved')
  await user.receives('resolved', ({ incidentId }) => incidentId === incident.incidentId)
  assert.equal((await answer('incident', 'resolve', incident.incidentId)).resolvedAt, resolved.resolvedAt)
  assert.deepEqual(await answer('incident', 'list', '--open'), [])

  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()))
  assert.equal((await answer('user', 'disable', appId, 'hiker-1')).disabled, true)
  await closed
  assert.equal((await user.rest('GET', '/v1/sdk/me')).status, 401)
  assert.equal((await answer('user', 'enable', appId, 'hiker-1')).disabled, false)
  assert.equal((await user.rest('GET', '/v1/sdk/me')).status, 200)

  child.kill('SIGTERM')
  assert.equal(await ended, 0)
  assert.equal(lines().at(-1).msg, 'stopped')
  assert.equal((await answer('incident', 'list'))[0].status, 'resolved')
})

test('a start that cannot succeed prints one line and leaves the running service alone', async (t) => {
  const { start, tocsin } = await program(t, anyPorts)
  const { ready, child, ended } = await start()
  const second = await tocsin('start')
  assert.equal(second.code, 1)
  assert.match(second.stderr, /^error: another process \(\d+\) is already running Tocsin on [^\n]+\n$/)

  const other = await program(t, { ...anyPorts, TOCSIN_HTTP_PORT: new URL(ready.listeners.http).port })
  const third = await other.tocsin('start')
  assert.equal(third.code, 1)
  assert.match(third.stderr, /^error: [^\n]*http\.port \d+: the port is in use\n$/)

  child.kill('SIGINT')
  assert.equal(await ended, 0, 'Ctrl-C stops the service as well')
})

const NOBODY = 65_534

test('run as root it leaves no file that the owner of the data cannot open', {
  skip: process.getuid?.() !== 0 && 'only root can leave such files',
}, async (t) => {
  const { dataDir, tocsin } = await program(t)
  await chown(dataDir, NOBODY, NOBODY)
  assert.equal((await tocsin('app', 'create', '--name', 'Hut')).code, 0)
  const files = await readdir(dataDir)
  assert.ok(files.includes('tocsin.db'))
  for (const file of files) assert.equal((await stat(join(dataDir, file))).uid, NOBODY, file)
})
