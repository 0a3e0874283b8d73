import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { parse } from 'yaml'
import { createSecrets } from '../../src/adapters/platform/secrets/site-secrets.ts'
import { configOf } from '../../src/config.ts'
import { COMMAND, entry } from '../../src/core/operator/audit.ts'
import { openHere } from '../fixtures/store-place.ts'
import { commandLine } from './command-line.ts'

const TOKEN = 'a-token-that-must-not-show'

test('config export prints what is set in the console; secrets only if asked, for those who can read the key', async (t) => {
  const { dataDir, answer, tocsin } = await commandLine(t, { TOCSIN_TIME_ZONE: 'UTC' })
  assert.match((await tocsin('config', 'export')).stdout, /Nothing is set in the console/)
  const secrets = createSecrets({ dataDir, key: null, isShared: false })
  const store = await openHere(t, dataDir)
  const sealed = await secrets.seal('site_settings/twilio.authToken', JSON.stringify(TOKEN))
  const servers = { hut: { type: 'chirpstack', application: '0190aaaa-0000-7000-8000-000000000001', token: TOKEN } }
  const after = [
    {
      key: 'lorawan.servers',
      value: await secrets.seal('site_settings/lorawan.servers', JSON.stringify(servers)),
      sealed: true,
    },
    { key: 'map.basemap', value: '"alps.pmtiles"', sealed: false },
    { key: 'publicUrl', value: '"https://sos.example.org"', sealed: false },
    { key: 'twilio.authToken', value: sealed, sealed: true },
  ]
  const change = { id: 'c', at: 1, author: 'Eva', section: 'address', before: [], after }
  await store.changeSettings(change, entry({ at: 1, actor: COMMAND, action: 'setup.change' }))
  const { stdout } = await tocsin('config', 'export')
  assert.equal(
    stdout.trimEnd(),
    '# lorawan.servers: a secret, set in the console; tocsin config export --secrets prints it\n# twilio.authToken: a secret, set in the console; tocsin config export --secrets prints it\npublicUrl: https://sos.example.org\nmap:\n  basemap: alps.pmtiles',
  )
  assert.ok(!stdout.includes(TOKEN))
  const whole = {
    publicUrl: 'https://sos.example.org',
    map: { basemap: 'alps.pmtiles' },
    lorawan: { servers },
    twilio: { authToken: TOKEN },
  }
  assert.deepEqual(await answer('config', 'export', '--secrets'), { config: whole, secrets: [] })
  const read = configOf(parse((await tocsin('config', 'export', '--secrets')).stdout), {})
  assert.ok('config' in read, 'a file of it is a configuration')
  assert.deepEqual((await store.auditRows({ after: null, limit: 1 })).items[0]?.action, 'setup.view')
  // Another command has it in force, under the environment.
  const other = await commandLine(t, { TOCSIN_DATA_DIR: dataDir, TOCSIN_SECRETS_KEY: randomBytes(32).toString('hex') })
  assert.equal((await other.tocsin('config', 'export', '--secrets')).code, 0, 'the file still opens it')
})
