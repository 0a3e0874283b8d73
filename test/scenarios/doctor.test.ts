import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { suite, test } from 'node:test'
import { adminOf } from '../harness/operator-client.ts'
import { startSite } from '../harness/site.ts'
import { startTwilio } from '../harness/twilio-stand-in.ts'

suite('the doctor of a running service', () => {
  test('has one line for each probe, and asks the provider once for all who ask', async (t) => {
    const twilio = await startTwilio(t)
    const site = await startSite(t, {
      config: {
        notifications: { providers: ['twilio'], allowPrivateTargets: true },
        twilio: twilio.config({ pollSeconds: 60 }),
        publicUrl: 'http://localhost:1',
      },
    })
    const ask = await adminOf(site)
    const before = await readdir(site.dataDir)
    const [one, other] = await Promise.all([ask('GET', '/doctor'), ask('GET', '/doctor')])
    assert.equal(one.status, 200, one.text)
    assert.deepEqual(one.json, other.json)
    assert.deepEqual((await ask('GET', '/doctor')).json, one.json)
    assert.equal(twilio.accountReads, 1)
    assert.deepEqual([twilio.requests, twilio.refusedCredentials], [[], []])

    const { level, rows } = one.json
    assert.equal(level, 'attention')
    const of = (id: string) => rows.filter((row: any) => row.id === id)
    const expected = ['version', 'service', 'configuration', 'ports', 'address', 'clock', 'disk', 'memory', 'store']
    const ids = [...new Set(rows.map(({ id }: any) => id))].filter((id) => id !== 'nodes')
    assert.deepEqual(ids, [...expected, 'providers', 'backup', 'map', 'canary', 'drill', 'administrators'])
    assert.match(of('version')[0].says, /, which is what the service runs$/)
    assert.deepEqual([of('service')[0].says, of('providers')[0].says], ['ready', 'twilio: the account is active'])
    assert.match(of('ports')[0].says, /^mqtt mqtt:\/\/127\.0\.0\.1:\d+, http http:\/\/127\.0\.0\.1:\d+$/)
    assert.match(of('address')[0].says, /^public_url_loopback: /)
    assert.match(of('store')[0].says, /^(SQLite, .* checked: sound$|PostgreSQL answers within )/)
    assert.match(of('memory')[0].says, / used; room for [\d,]+ MQTT and /)
    assert.doesNotMatch(one.text, new RegExp(twilio.authToken))
    assert.deepEqual(await readdir(site.dataDir), before)
  })

  test('sees a Twilio account whose token is wrong, one that is suspended, and a gateway that is off', async (t) => {
    const twilio = await startTwilio(t)
    twilio.accountStatus = 'suspended'
    const found = async (config: Record<string, unknown>) => {
      const site = await startSite(t, { config })
      const { json } = await (await adminOf(site))('GET', '/doctor')
      return json.rows.filter(({ id }: any) => id === 'providers').map(({ level, says }: any) => `${level} ${says}`)
    }
    const providers = ['twilio', 'http']
    const both = (more: Record<string, unknown>) => ({
      notifications: { providers },
      gateway: { url: twilio.baseUrl },
      twilio: twilio.config(more),
    })
    assert.deepEqual(await found(both({})), [
      'failed twilio: the account is suspended',
      'fine http: the gateway answers; only a message proves its credentials',
    ])
    const wrong = { ...both({ authToken: 'wrong' }), gateway: { url: 'http://127.0.0.1:1/sms?key=hunter2' } }
    assert.deepEqual(await found(wrong), [
      'failed twilio: the account cannot be read (the credentials are not accepted)',
      'failed http: the gateway cannot be reached (connection refused)',
    ])
  })
})
