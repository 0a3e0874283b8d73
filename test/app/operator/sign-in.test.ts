import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signingIn } from '../../../src/app/operator/sign-in.ts'
import type { Operator, OperatorCredentials } from '../../../src/core/operator/operator.ts'
import { recoveryHash, secretHash } from '../../../src/core/operator/secret.ts'
import { MINUTE } from '../../../src/lib/durations.ts'
import { accountsIn, codeAt, countedIds, NOW, operatorCalled, PASSWORD, plainPasswords, TOTP_SECRET } from './cast.ts'

const RECOVERY = 'ABCD-EFGH-IJKL-MNOP'
const HUT = { address: 'hut/1', browser: 'Firefox' }
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const ELSEWHERE = { address: 'elsewhere/1', browser: 'curl' }

function site(
  given: { readonly operator?: Partial<Operator>; readonly credentials?: Partial<OperatorCredentials> } = {},
) {
  const credentials = {
    passwordHash: `hash of ${PASSWORD}`,
    totpSecret: TOTP_SECRET,
    totpStep: 0,
    recoveryHashes: [recoveryHash(RECOVERY)],
    knownNetworks: ['hut'],
    ...given.credentials,
  }
  const accounts = accountsIn([{ operator: operatorCalled('ana', given.operator), credentials }])
  const passwords = plainPasswords()
  const logged: unknown[] = []
  const log = {
    info() {},
    warn: (fields: unknown, message: string) => void logged.push([fields, message]),
    error: (fields: unknown, message: string) => void logged.push([fields, message]),
  }
  const time = { now: NOW, monotonic: 0 }
  const signIn = signingIn({
    store: accounts.store,
    passwords,
    clock: { now: () => time.now },
    monotonicMs: () => time.monotonic,
    networkOf: (address) => address.split('/')[0]!,
    ids: countedIds(),
    log,
  })
  return {
    ...accounts,
    passwords,
    logged,
    time,
    /** What came of it: the refusal, or `in`. */
    async tries(
      { login = 'ana', password = PASSWORD, code = codeAt(time.now) } = {},
      visitor = ELSEWHERE,
    ): Promise<string> {
      const result = await signIn({ login, password, code }, visitor)
      return 'refused' in result ? result.refused : 'in'
    },
    signIn,
  }
}

suite('signing in to the console', () => {
  test('opens a session with the password and the code, and keeps only a hash of its secret', async () => {
    const { signIn, sessions, audit } = site()
    const signedIn = await signIn({ login: ' Ana ', password: PASSWORD, code: codeAt(NOW) }, HUT)
    assert.ok('secret' in signedIn)
    const { secret, session, operator, recoveryCodesLeft } = signedIn
    assert.deepEqual(sessions, [{ ...session, hash: secretHash(secret) }])
    assert.deepEqual([session.address, session.browser, session.createdAt], ['hut/1', 'Firefox', NOW])
    assert.deepEqual(operator, operatorCalled('ana'))
    assert.equal(recoveryCodesLeft, 1)
    assert.deepEqual(
      audit.map(({ action, actor, address, subject }) => [action, actor.name, address, subject]),
      [['session.opened', 'ANA', 'hut/1', session.id]],
    )
    assert.doesNotMatch(JSON.stringify(audit), new RegExp(secret))
  })

  test('takes a recovery code for a lost phone, once', async () => {
    const { signIn, tries } = site()
    const signedIn = await signIn({ login: 'ana', password: PASSWORD, code: RECOVERY.toLowerCase() }, HUT)
    assert.ok('secret' in signedIn)
    assert.equal(signedIn.recoveryCodesLeft, 0)
    assert.equal(await tries({ code: RECOVERY }), 'sign_in_refused')
  })

  test('the store is not asked about a login that nobody can have: PostgreSQL fails over a NUL', async () => {
    const { store, tries } = site()
    const asked: string[] = []
    const { operatorByLogin } = store
    Object.assign(store, {
      operatorByLogin(login: string) {
        asked.push(login)
        return operatorByLogin(login)
      },
    })
    for (const login of ['ana\0', '\ud800', '', 'ANA ']) await tries({ login, code: '' })
    assert.deepEqual(asked, ['ana'])
  })

  test('takes a code once', async () => {
    const { tries, time } = site()
    assert.equal(await tries(), 'in')
    assert.equal(await tries(), 'sign_in_refused')
    time.now += MINUTE
    assert.equal(await tries(), 'in')
  })

  const wrong = [
    ['an unknown login', { login: 'eve' }, {}, null],
    ['a login that nobody can have', { login: 'ana\0' }, {}, null],
    ['a wrong password', { password: 'wrong' }, {}, 'wrong_password'],
    ['a wrong code', { code: '000000' }, {}, 'wrong_code'],
    ['no code', { code: '' }, {}, 'wrong_code'],
    ['somebody disabled', {}, { operator: { disabled: true } }, 'disabled'],
    [
      'somebody who has not used the link',
      {},
      { credentials: { passwordHash: null, totpSecret: null } },
      'invitation_not_used',
    ],
  ] as const
  for (const [what, typed, given, why] of wrong) {
    test(`refuses ${what} like any other, after checking one password`, async () => {
      const { tries, passwords, sessions, audit, logged } = site(given)
      assert.equal(await tries(typed), 'sign_in_refused')
      assert.equal(passwords.checked.length, 1)
      assert.deepEqual(sessions, [])
      assert.deepEqual(
        audit.map(({ action, actor, details }) => [action, actor.kind, actor.name, details.why]),
        why === null ? [] : [['session.refused', 'stranger', 'ana', why]],
      )
      assert.equal(logged.length, 1)
      assert.doesNotMatch(JSON.stringify([audit, logged]), /"wrong"|"eve"|"000000"/)
    })
  }

  test('is refused where the password was changed meanwhile', async () => {
    const { store, tries, audit } = site()
    store.openSession = async () => ({ refused: 'credentials_changed' })
    assert.equal(await tries(), 'sign_in_refused')
    assert.equal(audit[0]?.details.why, 'credentials_changed')
  })

  test('an audit log that cannot be written makes no fault of a refusal', async () => {
    const { store, tries, logged } = site()
    store.addAuditRow = async () => {
      throw new Error('the disk is full')
    }
    assert.equal(await tries({ code: '000000' }), 'sign_in_refused')
    assert.equal(logged.length, 2)
  })
})

suite('guessing', () => {
  test('is slowed for one account from however many addresses, and never where its owner is known', async () => {
    const { tries, time } = site()
    const guesses = (n: number) => tries({ password: `guess ${n}` }, { address: `bot-${n}/1`, browser: '' })
    for (let n = 0; n < 5; n += 1) assert.equal(await guesses(n), 'sign_in_refused')
    assert.equal(await guesses(6), 'too_many_attempts')
    assert.equal(await tries({}, ELSEWHERE), 'too_many_attempts', 'even with the right password')
    assert.equal(await tries({}, HUT), 'in')
    time.monotonic += 1000
    time.now += MINUTE
    assert.equal(await tries({}, ELSEWHERE), 'in')
  })

  test('counts tries that are still being checked', async () => {
    const { tries, passwords } = site()
    const release = passwords.hold()
    const together = Array.from({ length: 8 }, (_, n) => tries({ password: `guess ${n}` }))
    release()
    const results = await Promise.all(together)
    assert.equal(results.filter((result) => result === 'sign_in_refused').length, 5)
    assert.equal(results.filter((result) => result === 'too_many_attempts').length, 3)
  })

  test('says how long to wait, and waits whatever the date is set to', async () => {
    const { signIn, tries, time } = site()
    for (let n = 0; n < 5; n += 1) await tries({ password: `guess ${n}` })
    time.now -= 1000 * MINUTE
    const asked = await signIn({ login: 'ana', password: PASSWORD, code: '' }, ELSEWHERE)
    assert.deepEqual(asked, { refused: 'too_many_attempts', retryAfterMs: 1000 })
    time.monotonic += 1000
    assert.equal(await tries({ password: 'guess' }), 'sign_in_refused')
  })

  test('of logins that do not exist is slowed like that of one that does', async () => {
    const { tries } = site()
    for (let n = 0; n < 5; n += 1) assert.equal(await tries({ login: 'eve' }), 'sign_in_refused')
    assert.equal(await tries({ login: 'eve' }), 'too_many_attempts')
  })

  test('tells nobody which logins exist, however many others have been tried', async () => {
    const { tries } = site()
    for (let n = 0; n < 3_000; n += 1) {
      await tries({ login: `nobody-${n}` }, { address: `bot-${n}/1`, browser: '' })
    }
    for (const login of ['ana', 'eve', `nobody\0`]) {
      const results: string[] = []
      const guess = (n: number) => tries({ login, password: 'x' }, { address: `${login}-${n}/1`, browser: '' })
      for (let n = 0; n < 7; n += 1) results.push(await guess(n))
      assert.deepEqual(results, [
        ...Array.from({ length: 5 }, () => 'sign_in_refused'),
        'too_many_attempts',
        'too_many_attempts',
      ])
    }
  })

  test('of many logins from one address is slowed', async () => {
    const { tries } = site()
    const results: string[] = []
    for (let n = 0; n < 40; n += 1) results.push(await tries({ login: `login-${n}` }))
    assert.ok(results.includes('too_many_attempts'))
    assert.equal(await tries({}, HUT), 'in', 'the control: elsewhere all is well')
  })

  test('leaves room in the queue of passwords for those who are known', async () => {
    const { tries, passwords } = site()
    const release = passwords.hold()
    const waiting = Array.from({ length: 20 }, (_, n) =>
      tries({ login: `login-${n}` }, { address: `bot-${n}/1`, browser: '' }),
    )
    assert.equal(await tries({ login: 'another' }, { address: 'bot-99/1', browser: '' }), 'too_many_attempts')
    const known = tries({}, HUT)
    await turn()
    assert.equal(passwords.checked.length, 21)
    release()
    assert.equal(await known, 'in')
    await Promise.all(waiting)
  })
})
