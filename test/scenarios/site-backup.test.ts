import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { connect } from 'node:tls'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { program } from '../cli/program.ts'
import { PhoneUser } from '../harness/phone-user.ts'
import { startSite } from '../harness/site.ts'
import { until } from '../harness/wait.ts'

/** A directory for backups, and the keys of their recipient. */
async function stick(t: TestContext) {
  const at = await mkdtemp(join(tmpdir(), 'tocsin-stick-'))
  t.after(() => rm(at, { recursive: true, force: true }))
  const to = join(at, 'backups')
  await mkdir(to)
  const identity = await generateX25519Identity()
  const identityFile = join(at, 'key')
  await writeFile(identityFile, identity)
  return { at, to, identityFile, recipient: await identityToRecipient(identity) }
}

test('the service makes a backup by itself, and says when it could not', async (t) => {
  const { at, to, recipient } = await stick(t)
  const gone = join(at, 'gone')
  // Files are named by the machine's clock.
  const site = await startSite(t, { now: Date.now(), config: { backup: { to: gone, recipient } } })
  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`${site.service.listeners.http}/metrics`)).text()
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`tocsin_${name} `))
        ?.split(' ')[1],
    )
  }
  const ready = async () => (await fetch(`${site.service.listeners.http}/readyz`)).text()
  await site.advance('6 min')
  await until('it has failed', async () => (await metric('backups_total{result="failed"}')) === 1)
  assert.ok((await ready()).includes(`the last backup failed: there is no directory ${gone}`), await ready())

  await mkdir(gone)
  await site.advance('2 h')
  await until('it was made', async () => (await metric('backups_total{result="made"}')) === 1)
  const [name, ...others] = await readdir(gone)
  assert.deepEqual(others, [])
  assert.match(name!, /^tocsin-[0-9a-f]{8}-\d{8}T\d{6}Z\.age$/)
  assert.ok((await metric('backup_bytes')) > 100_000)
  assert.ok(Math.abs((await metric('backup_last_success_timestamp_seconds')) - Date.now() / 1000) < 600)
  assert.doesNotMatch(await ready(), /backup/)
  assert.equal(site.logged(/made and checked a backup/).length, 1)
  assert.deepEqual(await readdir(to), [])
})

test('a stop ends a backup under way, and the next one goes on without its remains', async (t) => {
  const { to, recipient } = await stick(t)
  const site = await startSite(t, { now: Date.now(), config: { backup: { to, recipient } } })
  await site.advance('6 min')
  const began = performance.now()
  await site.service.stop()
  assert.ok(performance.now() - began < 5000)
  assert.deepEqual(site.logged(/BACKUP FAILED/), [])
  const next = await startSite(t, { now: Date.now(), config: { backup: { to, recipient } } })
  await next.advance('6 min')
  await until('it is made', async () => (await readdir(to)).some((name) => /^tocsin-.*\.age$/.test(name)))
})

test('a whole site with an open incident is restored on another machine, which goes on with it', async (t) => {
  const { at, to, recipient, identityFile } = await stick(t)
  const config = join(at, 'tocsin.yaml')
  await writeFile(config, `backup:\n  to: ${to}\n  recipient: ${recipient}\n`)
  const env = {
    TOCSIN_CONFIG: config,
    TOCSIN_MQTT_PORT: '0',
    TOCSIN_HTTP_PORT: '0',
    TOCSIN_MQTTS_PORT: 'off',
    TOCSIN_HTTPS_PORT: '0',
    TOCSIN_HTTPS_HOST: '127.0.0.1',
    TOCSIN_CANARY_EVERY_MINUTES: '0',
  }
  const old = await program(t, env)
  const first = await old.start()
  const { appId, secret } = await old.answer('app', 'create', '--name', 'Hut')
  await old.answer('app', 'update', appId, '--verify-contacts', 'off')
  const hurried = ['--grace-seconds', '0', '--ack-timeout-seconds', '600', '--voice', 'off']
  await old.answer('app', 'actuator', 'set', appId, 'emergency_contacts', ...hurried)
  await writeFile(join(old.dataDir, 'secrets.key'), 'a key', { mode: 0o600 })
  const presses = async (listeners: any, externalUserId: string): Promise<string> => {
    const user = new PhoneUser({ ...listeners, appId, secret, externalUserId })
    t.after(() => user.disconnect())
    await user.introduce({ name: externalUserId })
    await user.rest('POST', '/v1/sdk/contacts', { name: 'Ana', phone: '+436600001' })
    const { body } = await user.rest('POST', '/v1/sdk/sos', { timestamp: new Date().toISOString() })
    return body.incident.incidentId
  }
  const incidentId = await presses(first.ready.listeners, 'Mia')
  await until('Ana is told', async () => (await old.answer('outbox', 'list')).length === 1)

  const { file } = await old.answer('backup', '--now')
  const later = await presses(first.ready.listeners, 'Leo')
  await old.answer('incident', 'resolve', incidentId)
  const lost = await old.answer('restore', '--what-is-lost', file)
  assert.deepEqual(
    lost.incidents.map((one: any) => [one.incidentId, one.externalUserId, one.presses, one.lost]),
    [
      [incidentId, 'Mia', 0, 'ended'],
      [later, 'Leo', 1, 'opened'],
    ],
  )
  // The same as text, and by the operator's key; the service went on meanwhile.
  const said = await old.command('restore', '--what-is-lost', file, '--identity', identityFile)
  assert.match(said.stdout, /Leo .* would be gone/)
  const ca = await readFile(join(old.dataDir, 'tls/ca.crt'))
  first.child.kill('SIGKILL')
  await first.ended

  const fresh = await program(t, env)
  const { heldIncidents, setup } = await fresh.answer('restore', file, '--identity', identityFile)
  assert.deepEqual(
    heldIncidents.map((held: any) => held.incidentId),
    [incidentId],
  )
  assert.ok(setup.files.includes('tocsin.yaml') && setup.files.includes('credentials/TOCSIN_HTTPS_PORT'))
  assert.equal(await readFile(join(fresh.dataDir, 'secrets.key'), 'utf8'), 'a key')
  const second = await fresh.start()
  const { https } = second.ready.listeners
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(https).port), ca })
  t.after(() => socket.destroy())
  await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject))
  assert.equal(socket.authorized, true)
  await fresh.answer('incident', 'resume', incidentId)
  await fresh.answer('incident', 'resolve', incidentId)
  await until('Ana hears that it is over', async () => (await fresh.answer('outbox', 'list')).length === 2)
  assert.equal((await fresh.answer('incident', 'show', incidentId)).status, 'resolved')
})
