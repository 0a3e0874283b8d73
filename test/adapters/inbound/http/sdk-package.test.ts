import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, startHttp } from './stand-in.ts'

test('/sdk.tgz is the package, read once, and 304 to a client that has it', async (t) => {
  let reads = 0
  const site = await startHttp(t, {
    sdkPackage: async () => {
      reads += 1
      return Buffer.from('a tarball')
    },
  })
  const first = await ask(site, 'GET', '/sdk.tgz')
  assert.deepEqual(
    [first.status, first.text, first.headers.get('content-type')],
    [200, 'a tarball', 'application/gzip'],
  )
  const etag = first.headers.get('etag') ?? ''
  const again = await ask(site, 'GET', '/sdk.tgz', { headers: { 'if-none-match': etag } })
  assert.deepEqual([again.status, again.text, reads], [304, '', 1])
})

test('/sdk.tgz of a checkout says how to build it, until it is built', async (t) => {
  let built: Buffer | null = null
  const site = await startHttp(t, { sdkPackage: async () => built })
  const missing = await ask(site, 'GET', '/sdk.tgz')
  assert.equal(missing.status, 404)
  assert.match(missing.text, /npm run build/)
  built = Buffer.from('a tarball')
  assert.equal((await ask(site, 'GET', '/sdk.tgz')).status, 200)
})
