import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createSecrets } from '../../src/adapters/platform/secrets/site-secrets.ts'
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
  const after = [
    { key: 'publicUrl', value: '"https://sos.example.org"', sealed: false },
    { key: 'twilio.authToken', value: sealed, sealed: true },
  ]
  const change = { id: 'c', at: 1, author: 'Eva', section: 'address', before: [], after }
  await store.changeSettings(change, entry({ at: 1, actor: COMMAND, action: 'setup.change' }))
  const { stdout } = await tocsin('config', 'export')
  assert.match(stdout, /^# twilio\.authToken: set in the console\npublicUrl: https:\/\/sos\.example\.org\n?$/m)
  assert.ok(!stdout.includes(TOKEN))
  assert.deepEqual(await answer('config', 'export', '--secrets'), {
    config: { publicUrl: 'https://sos.example.org', twilio: { authToken: TOKEN } },
    secrets: [],
  })
  assert.deepEqual((await store.auditRows({ after: null, limit: 1 })).items[0]?.action, 'setup.view')
  // Another command has it in force, under the environment.
  const other = await commandLine(t, { TOCSIN_DATA_DIR: dataDir, TOCSIN_SECRETS_KEY: randomBytes(32).toString('hex') })
  assert.equal((await other.tocsin('config', 'export', '--secrets')).code, 0, 'the file still opens it')
})
