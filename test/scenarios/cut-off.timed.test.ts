import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isoAt } from '../../src/core/ingest/event-time.ts'
import { hasPostgres, sharedPostgres } from '../harness/postgres.ts'
import { PostgresGate } from '../harness/postgres-gate.ts'
import { startSite } from '../harness/site.ts'
import { newSiteDatabase } from '../harness/site-database.ts'

const LIMIT_MS = 5_000

// keeping.md#several-nodes.
test('a node that is cut off from the database answers 503 within 5 s, whatever a request waits for', {
  skip: !hasPostgres,
}, async (t) => {
  const [server, name] = await Promise.all([sharedPostgres(), newSiteDatabase()])
  t.after(() => server.dropDatabase(name))
  const gate = await PostgresGate.before(t, server)
  const url = `postgresql://tocsin@${gate.host}/${name}`
  const site = await startSite(t, { config: { store: { url }, publicUrl: 'https://sos.example.org' } })
  const { user } = site
  const signed = {
    'x-app-id': user.account.appId,
    'x-user-id': user.account.externalUserId,
    authorization: `Bearer ${user.hash}`,
  }
  const asks = async (method: string, path: string, body?: object) => {
    const began = performance.now()
    const headers = {
      ...signed,
      'content-type': 'application/json',
    }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const { status, headers: answered } = await fetch(`${user.account.http}${path}`, init)
    return { what: `${method} ${path}`, status, again: answered.get('retry-after'), ms: performance.now() - began }
  }
  gate.becomes('black hole')
  const answers = await Promise.all([
    asks('GET', '/v1/sdk/sos'),
    asks('GET', '/v1/sdk/sos/history'),
    asks('POST', '/v1/sdk/sos', { timestamp: isoAt(site.clock.now()) }),
    asks('POST', '/v1/sdk/sos/cancel'),
    asks('GET', '/v1/sdk/contacts'),
    asks('GET', `/t/${'x'.repeat(43)}`),
  ])
  for (const { what, status, again, ms } of answers) {
    assert.equal(status, 503, what)
    assert.match(again ?? '', /^\d+$/, what)
    assert.ok(ms < LIMIT_MS, `${what}: ${ms} ms`)
  }
  gate.becomes('open')
})
