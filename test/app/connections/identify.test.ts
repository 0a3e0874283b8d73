import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { identify } from '../../../src/app/connections/identify.ts'
import type { Application } from '../../../src/core/account/application.ts'
import type { User } from '../../../src/core/account/profile.ts'
import { userHash } from '../../../src/core/account/user-hash.ts'
import type { AccountStore, AdmissionStore } from '../../../src/ports/store.ts'

const APP = '0a000000-0000-7000-8000-00000000000a'
const OFF = '0a000000-0000-7000-8000-00000000000b'
const UNKNOWN = '0a000000-0000-7000-8000-0000000000ff'
const SECRET = 'the secret'
const right = (externalUserId: string): string => userHash(SECRET, externalUserId)

/** A store that records every look-up and whether it found anything. */
function site() {
  const looks: string[] = []
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
  } as unknown as AccountStore & AdmissionStore
  const admit = identify({ store, clock: { now: () => 0 } as never, ids: { uuid: () => 'new' } as never })
  /** The look-ups of one login, in any order. */
  const work = async (appId: string, externalUserId: string, hash: string): Promise<string> => {
    looks.length = 0
    assert.equal(await admit({ appId, externalUserId, userHash: hash }), null)
    return looks.toSorted().join(', ')
  }
  return { admit, work }
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
