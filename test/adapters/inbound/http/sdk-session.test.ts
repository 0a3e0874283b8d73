import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Credentials } from '../../../../src/core/account/mqtt-username.ts'
import { ANA, askRaw, HASH, startHttp } from './stand-in.ts'

const APP = ['X-App-ID', ANA.appId] as const
const USER = ['X-User-ID', 'ana'] as const
const BEARER = ['Authorization', `Bearer ${HASH}`] as const

suite('the three headers', () => {
  const admitted: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
    'all correct': [APP, USER, BEARER],
    'with the scheme in lower case': [APP, USER, ['authorization', `bearer ${HASH}`]],
    'with the scheme in upper case and more spaces': [APP, USER, ['authorization', `BEARER   ${HASH}`]],
  }
  for (const [how, headers] of Object.entries(admitted)) {
    test(`${how}: admitted`, async (t) => {
      assert.equal(await askRaw(await startHttp(t), '/v1/sdk/me', headers), 200)
    })
  }

  const refused: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
    'a second application': [APP, APP, USER, BEARER],
    'a second user': [APP, USER, USER, BEARER],
    'a second hash': [APP, USER, BEARER, BEARER],
    'two hashes, the first one right': [APP, USER, BEARER, ['Authorization', 'Bearer 00']],
    'no space after the scheme': [APP, USER, ['Authorization', `Bearer${HASH}`]],
    'something after the hash': [APP, USER, ['Authorization', `Bearer ${HASH} x`]],
    'an id that is not UTF-8': [APP, ['X-User-ID', 'ana\xff'], BEARER],
    'an empty id': [APP, ['X-User-ID', ''], BEARER],
    'a hash of 10,000 digits': [APP, USER, ['Authorization', `Bearer ${'a'.repeat(10_000)}`]],
  }
  for (const [how, headers] of Object.entries(refused)) {
    test(`${how}: refused`, async (t) => {
      assert.equal(await askRaw(await startHttp(t), '/v1/sdk/me', headers), 401)
    })
  }

  test('the bytes of X-User-ID are UTF-8, and an upper-case hash is passed on unchanged', async (t) => {
    const seen: Credentials[] = []
    const identify = async (credentials: Credentials) => {
      seen.push(credentials)
      return ANA
    }
    const site = await startHttp(t, { identify })
    const bytes = Buffer.from('søren:北 ', 'utf8').toString('latin1').trim()
    await askRaw(site, '/v1/sdk/me', [APP, ['X-User-ID', bytes], ['Authorization', `Bearer ${HASH.toUpperCase()}`]])
    assert.deepEqual(seen, [{ appId: ANA.appId, externalUserId: 'søren:北', userHash: HASH.toUpperCase() }])
  })
})
