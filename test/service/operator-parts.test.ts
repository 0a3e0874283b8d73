import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operatorParts } from '../../src/service/operator-parts.ts'
import { testConfig } from '../harness/test-config.ts'

test('whoever looks at incidents and at people has one number of audit rows an hour', () => {
  const basis = { store: {}, door: { follow: () => undefined }, ids: { secret: () => 'a secret of the era' } }
  const estate = { look: () => undefined }
  const config = testConfig('/nowhere')
  const parts = operatorParts(
    config,
    basis as never,
    { publicUrl: () => 'http://localhost' },
    estate as never,
    () => {},
  )
  assert.equal(parts.noteLook, estate.look)
})
