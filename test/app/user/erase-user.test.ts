import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eraseUser } from '../../../src/app/user/erase-user.ts'

test('erasure proceeds in batches, and finishes only after the sessions of the user have ended', async () => {
  const steps: string[] = []
  const batches = [false, false, true].map((done) => ({ userId: 'u1', done }))
  const erased = await eraseUser(
    {
      store: {
        async eraseUser() {
          steps.push('batch')
          return batches.shift()!
        },
        async finishErasure(userId, since) {
          steps.push(`sweep ${userId} since ${since}`)
          return 'none'
        },
        userByExternalId: async () => null,
      },
      pause: async (ms) => void steps.push(`${ms} ms`),
    },
    { appId: 'app', externalUserId: 'mia', now: 7 },
  )
  // access.md#sessions: sessions end within 2 s.
  assert.deepEqual(steps, ['batch', '20 ms', 'batch', '20 ms', 'batch', '2500 ms', 'sweep u1 since 7'])
  assert.deepEqual(erased, { userId: 'u1', traces: 'none', cameBack: false })
})
