import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideAddSecret, decideRetireSecret } from '../../../src/core/account/application-changes.ts'

const NO_APPLICATION = { refused: 'application_not_found' }

/** access.md#secrets. `secrets`: ids, oldest first. */
for (const [secrets, added, retired] of [
  [null, NO_APPLICATION, NO_APPLICATION],
  [[], { added: true }, { refused: 'only_one_secret' }],
  [[7], { added: true }, { refused: 'only_one_secret' }],
  [[7, 9], { refused: 'two_secrets_already' }, { remove: 7 }],
] as const) {
  test(`an application with the secrets ${JSON.stringify(secrets)}`, () => {
    assert.deepEqual(decideAddSecret(secrets), added)
    assert.deepEqual(decideRetireSecret(secrets), retired)
  })
}
