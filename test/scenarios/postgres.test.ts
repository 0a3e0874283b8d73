import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { emptyDatabase, withoutPostgres } from '../fixtures/postgres-place.ts'
import { startProcessSite } from '../harness/process-site.ts'
import { refusedStart } from '../harness/tocsin-process.ts'
import { until } from '../harness/wait.ts'

const PASSWORD = 'a-password-that-no-log-shows'

test('on PostgreSQL: killed between the PUBACK and the SMS, the service sends it after its next start', {
  skip: withoutPostgres,
}, async (t) => {
  const url = (await emptyDatabase(t)).replace('tocsin@', `tocsin:${PASSWORD}@`)
  const site = await startProcessSite(t, { env: { TOCSIN_STORE_URL: url }, settings: { 'grace-seconds': 1 } })
  const mia = await site.user('mia', [{ name: 'Ana', phone: '+436601234567' }])
  await mia.listen()
  await mia.presses()
  await site.kill()

  await site.start()
  const again = await site.user('mia')
  await again.listen()
  const { incidentId } = await again.openIncident()
  const [message] = await until('the SMS', async () => {
    const messages = await site.tocsin('outbox', 'list', '--incident', incidentId)
    return messages.length > 0 && messages
  })
  assert.equal(message.to, '+436601234567')
  await site.tocsin('incident', 'acknowledge', incidentId)
  await again.receives('acknowledged')
  await site.stillAlarms()
  assert.ok(!site.output.includes(PASSWORD))
})

test('a start without the database says where it looked, and not how it logs in', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-start-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const url = `postgresql://tocsin:${PASSWORD}@127.0.0.1:1,127.0.0.1:2/tocsin`
  const { code, stderr, stdout } = await refusedStart(dataDir, { env: { TOCSIN_STORE_URL: url } })
  assert.equal(code, 1)
  assert.match(stderr, /no PostgreSQL primary can be reached \(127\.0\.0\.1:1: .*ECONNREFUSED.*; 127\.0\.0\.1:2: /)
  assert.ok(!`${stderr}${stdout}`.includes(PASSWORD))
})
