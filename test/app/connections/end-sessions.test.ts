import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { endSessions } from '../../../src/app/connections/end-sessions.ts'
import type { ClientSession, Session } from '../../../src/core/account/session.ts'
import type { Readmission } from '../../../src/ports/store.ts'
import { quiet } from '../../fixtures/store-place.ts'
import type { Ending } from '../../harness/ending.ts'
import { until } from '../../harness/wait.ts'

const APP = 'app'
const sessionOf = (number: number): Session => ({
  appId: APP,
  userId: `user-${number}`,
  externalUserId: `hiker-${number}`,
  legacy: false,
  secretId: 1,
})

/** Connections of as many users of one application. Each question waits until the test answers it. */
function connected(t: Ending, users: number) {
  let sessions = Array.from({ length: users }, (_, number) => sessionOf(number))
  const disabled = new Set<string>()
  const questions: { userIds: readonly string[]; answer: () => void; fail: () => void }[] = []
  const deciding = { until: Promise.resolve() }
  const ending = endSessions({
    store: {
      readmission: (_appId, userIds) =>
        new Promise<Readmission>((resolve, reject) => {
          const enabled = new Set(userIds.filter((id) => !disabled.has(id)))
          questions.push({
            userIds,
            answer: () =>
              resolve({ legacy: false, secretIds: new Set([1]), userIds: enabled, appDeviceIds: new Set() }),
            fail: () => reject(new Error('the database is away')),
          })
        }),
    },
    live: {
      decided: () => deciding.until,
      sessions: () => sessions,
      closeWhere(predicate) {
        const before = sessions.length
        sessions = sessions.filter((session) => !predicate(session))
        return before - sessions.length
      },
    },
    log: quiet,
  })
  t.after(() => ending.close())
  const isConnected = (number: number): boolean => sessions.some(({ userId }) => userId === `user-${number}`)
  return {
    ending,
    questions,
    deciding,
    disable: (number: number) => {
      disabled.add(`user-${number}`)
      ending.end(APP)
    },
    isConnected,
    enters: (number: number) => sessions.push(sessionOf(number)),
    asked: (count: number) => until(`question ${count}`, () => questions.length >= count && questions[count - 1]),
    ends: (number: number) => until(`the session of user ${number} has ended`, () => !isConnected(number)),
  }
}

test('what the store could not say is asked again, until it has answered', async (t) => {
  const { disable, asked, ends, isConnected } = connected(t, 2)
  disable(0)
  for (const count of [1, 2]) (await asked(count)).fail()
  assert.ok(isConnected(0))
  ;(await asked(3)).answer()
  await ends(0)
  assert.ok(isConnected(1))
})

test('it asks about a thousand sessions at a time, and ends at once what it has found', async (t) => {
  const { disable, asked, ends, questions } = connected(t, 2500)
  disable(3)
  const first = await asked(1)
  assert.equal(first.userIds.length, 1000)
  first.answer()
  const second = await asked(2)
  await ends(3)
  disable(2400)
  second.answer()
  const third = await asked(3)
  assert.equal(third.userIds.length, 500)
  third.answer()
  await ends(2400)
  assert.ok(questions.length <= 4)
})

test('changes while an application is being checked have it checked once more, however many they are', async (t) => {
  const { disable, asked, ends, questions } = connected(t, 3)
  disable(0)
  const first = await asked(1)
  disable(1)
  disable(2)
  for (let turns = 0; turns < 5; turns += 1) await nextTurn()
  assert.equal(questions.length, 1)
  first.answer()
  const second = await asked(2)
  second.answer()
  await ends(1)
  await ends(2)
})

test('a login that hangs holds nobody else up, and is checked when it has come in', async (t) => {
  const { disable, asked, ends, deciding, enters } = connected(t, 1)
  const { promise, resolve } = Promise.withResolvers<void>()
  deciding.until = promise
  disable(0)
  ;(await asked(1)).answer()
  await ends(0)
  // Its login was found admissible before the change.
  enters(0)
  resolve()
  ;(await asked(2)).answer()
  await ends(0)
})

test('a tracker goes with its user and application, not with a secret that did not admit it', async (t) => {
  const of = (userId: string): ClientSession => ({
    appId: APP,
    userId,
    tracker: { deviceId: userId, tokenHash: userId },
  })
  let sessions = ['user-0', 'user-1'].map(of)
  const ending = endSessions({
    store: {
      readmission: async () => ({
        legacy: true,
        secretIds: new Set([2]),
        userIds: new Set(['user-1']),
        appDeviceIds: new Set(),
      }),
    },
    live: {
      decided: async () => {},
      sessions: () => sessions,
      closeWhere(predicate) {
        sessions = sessions.filter((session) => !predicate(session))
        return 1
      },
    },
    log: quiet,
  })
  t.after(() => ending.close())
  ending.end(APP)
  await until('the tracker of the disabled user has gone', () => sessions.length < 2)
  assert.deepEqual(sessions, [of('user-1')])
})
