import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIds, uuidV7 } from '../../../../src/adapters/platform/system/ids.ts'
import { isUuid } from '../../../../src/core/ingest/topic.ts'

const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('our own UUID version 7 matches the example of RFC 9562', () => {
  // Appendix A.6: 0x017F22E279B0, rand_a 0xCC3, rand_b 0x18C4DC0C0C07398F
  const random = Buffer.from('0cc318c4dc0c0c07398f', 'hex')
  assert.equal(uuidV7(0x017f22e279b0, random), '017f22e2-79b0-7cc3-98c4-dc0c0c07398f')
})

test('version and variant are right whatever the random bytes', () => {
  for (const byte of [0x00, 0xff]) assert.match(uuidV7(Date.now(), new Uint8Array(10).fill(byte)), VERSION_7)
})

test('UUIDs of version 7 sort by time', () => {
  const [low, high] = [new Uint8Array(10), new Uint8Array(10).fill(0xff)]
  assert.ok(uuidV7(1_700_000_000_000, high) < uuidV7(1_700_000_000_001, low))
})

test('ids are UUIDs of version 7, made now and unique', () => {
  const ids = createIds()
  const made = Array.from({ length: 1_000 }, () => ids.uuid())
  for (const id of made) assert.match(id, VERSION_7)
  assert.ok(made.every(isUuid))
  assert.equal(new Set(made).size, made.length)
  const ms = Number.parseInt(made[0]!.replaceAll('-', '').slice(0, 12), 16)
  assert.ok(Math.abs(Date.now() - ms) < 60_000)
})

test('secrets are 256 random bits in base64url', () => {
  const ids = createIds()
  const made = Array.from({ length: 100 }, () => ids.secret())
  for (const secret of made) {
    assert.match(secret, /^[\w-]{43}$/)
    assert.equal(Buffer.from(secret, 'base64url').length, 32)
  }
  assert.equal(new Set(made).size, made.length)
})

test('jitter is at least 0 and less than 1', () => {
  const ids = createIds()
  for (let n = 0; n < 1_000; n++) {
    const jitter = ids.jitter()
    assert.ok(jitter >= 0 && jitter < 1)
  }
})
