import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { identify } from '../../../src/app/connections/identify.ts'
import { appSecretHash } from '../../../src/core/account/app-device.ts'
import type { Application } from '../../../src/core/account/application.ts'
import type { User } from '../../../src/core/account/profile.ts'
import { userHash } from '../../../src/core/account/user-hash.ts'
import type { AccountStore, AdmissionStore, AppDeviceLogin, EnrolmentStore } from '../../../src/ports/store.ts'

const APP = '0a000000-0000-7000-8000-00000000000a'
const OFF = '0a000000-0000-7000-8000-00000000000b'
const UNKNOWN = '0a000000-0000-7000-8000-0000000000ff'
const SECRET = 'the secret'
const CREDENTIAL = `dev_${'c'.repeat(43)}`
const OF_DISABLED = `dev_${'o'.repeat(43)}`
const WRONG = `dev_${'w'.repeat(43)}`
const right = (externalUserId: string): string => userHash(SECRET, externalUserId)

/** A store that records every look-up and whether it found anything. */
function site() {
  const looks: string[] = []
  const used: string[] = []
  const noted = <T>(what: string, found: T): T => {
    looks.push(`${what} ${found === null ? 'missing' : 'found'}`)
    return found
  }
  const store = {
    admittingApplication: async (id: string) => {
      const known = id === APP || id === OFF
      const application = { id, disabled: id === OFF, legacy: false } as Application
      return noted('application', known ? { application, secrets: [{ id: 1, secret: SECRET }] } : null)
    },
    userByExternalId: async (appId: string, externalUserId: string) => {
      const known = (appId === APP || appId === OFF) && (externalUserId === 'ana' || externalUserId === 'off')
      return noted('user', known ? ({ id: 'u1', disabled: externalUserId === 'off' } as User) : null)
    },
    ensureUser: async () => ({ id: 'new' }) as User,
    appDeviceLogin: async (hash: string) => {
      const user = { id: 'u1', appId: APP, externalUserId: 'ana', disabled: false }
      const device = { id: 'd1', usedAt: null, removedFrom: null }
      const logins = {
        [appSecretHash(CREDENTIAL)]: { user, device },
        [appSecretHash(OF_DISABLED)]: { user: { ...user, externalUserId: 'off', disabled: true }, device },
      }
      return noted('user', (logins[hash] ?? null) as AppDeviceLogin | null)
    },
    noteAppDeviceUsed: async (id: string) => void used.push(id),
  } as unknown as AccountStore & AdmissionStore & EnrolmentStore
  const admit = identify({ store, clock: { now: () => 0 } as never, ids: { uuid: () => 'new' } as never })
  /** The look-ups of one login, in any order. */
  const work = async (appId: string, externalUserId: string, hash: string): Promise<string> => {
    looks.length = 0
    assert.equal(await admit({ appId, externalUserId, userHash: hash }), null)
    return looks.toSorted().join(', ')
  }
  return { admit, work, used }
}

suite('every refused login costs the same work', () => {
  const refused = [
    ['an unknown application', UNKNOWN, 'ana', right('ana')],
    ['an unknown application, an unknown user', UNKNOWN, 'ben', right('ben')],
    ['an invalid application id', 'app', 'ana', right('ana')],
    ['no application id', '', '', ''],
    ['a wrong hash', APP, 'ana', '0'.repeat(64)],
    ['a wrong hash for an unknown user', APP, 'ben', '0'.repeat(64)],
    ['a wrong hash of another length', APP, 'ana', '0'],
    ['a wrong hash of a disabled user', APP, 'off', '0'.repeat(64)],
    ['a wrong hash in a disabled application', OFF, 'ana', '0'.repeat(64)],
  ] as const
  for (const [what, appId, externalUserId, hash] of refused) {
    test(what, async () => {
      const { admit, work } = site()
      await admit({ appId: APP, externalUserId: 'ana', userHash: right('ana') })
      assert.equal(await work(appId, externalUserId, hash), 'application found, application missing, user missing')
    })
  }

  test('only the right hash leads to a look-up of the user, who may be disabled', async () => {
    const { work } = site()
    const found = 'application found, application missing, user found'
    assert.equal(await work(APP, 'off', right('off')), found)
    assert.equal(await work(OFF, 'ana', right('ana')), found)
  })

  test('the secrets of one application admit nobody to another', async () => {
    const { admit } = site()
    await admit({ appId: APP, externalUserId: 'ana', userHash: right('ana') })
    assert.equal(await admit({ appId: UNKNOWN, externalUserId: 'ana', userHash: right('ana') }), null)
  })
})

suite('the credential of a device', () => {
  test('admits its user, and its use is noted once in an hour', async () => {
    const { admit, used } = site()
    for (let k = 0; k < 3; k++) {
      const session = await admit({ appId: APP, externalUserId: 'ana', userHash: CREDENTIAL })
      const expected = { appId: APP, userId: 'u1', externalUserId: 'ana', legacy: false, secretId: null }
      assert.deepEqual(session, { ...expected, appDeviceId: 'd1' })
    }
    assert.deepEqual(used, ['d1'])
  })

  const refused = [
    ['that nobody has', APP, 'ana', WRONG, 'missing'],
    ['of another user', APP, 'ben', CREDENTIAL, 'found'],
    ['for another application', OFF, 'ana', CREDENTIAL, 'found'],
    ['for an unknown application', UNKNOWN, 'ana', CREDENTIAL, 'found'],
    ['of a disabled user', APP, 'off', OF_DISABLED, 'found'],
  ] as const
  for (const [what, appId, externalUserId, credential, user] of refused) {
    test(`${what} admits nobody, after the same look-ups as a hash`, async () => {
      const { admit, work, used } = site()
      await admit({ appId: APP, externalUserId: 'ana', userHash: right('ana') })
      const found = `application found, application missing, user ${user}`
      assert.equal(await work(appId, externalUserId, credential), found)
      assert.deepEqual(used, [])
    })
  }
})
