import { randomUUID, scryptSync } from 'node:crypto'
import { COMMAND, entry } from '../../src/core/operator/audit.ts'
import { secretHash } from '../../src/core/operator/secret.ts'
import { newSession } from '../../src/core/operator/session.ts'
import { stepAt, totpCode } from '../../src/core/operator/totp.ts'
import type { Store } from '../../src/ports/store.ts'

const PASSWORD = 'correct horse battery'
/**
 * As `passwords.ts` stores it, with the least that scrypt takes: a proof checks the password each time, which at the
 * cost of the service is a tenth of a second.
 */
const PASSWORD_HASH = `scrypt:2:1:1:00:${scryptSync(PASSWORD, Buffer.alloc(1), 32, { N: 2, r: 1, p: 1 }).toString('hex')}`

/** A signed-in administrator of the site with a password and an authenticator app. `now`: the clock of the service. */
export async function consoleAdmin(store: Store, url: string, now: () => number, name = 'Eva') {
  const id = randomUUID()
  const at = now()
  const row = entry({ at, actor: COMMAND, action: 'operator.manage' })
  const account = { login: name.toLowerCase(), name, role: 'admin', applications: null, disabled: false } as const
  const totpSecret = secretHash(id).slice(0, 40)
  await store.addOperator({ id, ...account, createdAt: at, updatedAt: at, signedInAt: null }, row)
  await store.invite({ hash: id, operatorId: id, totpSecret, createdAt: at, expiresAt: at + 1 }, row)
  const secret = `${randomUUID()}${randomUUID()}`.replaceAll('-', '')
  const session = newSession({ id: randomUUID(), operatorId: id, now: at, address: '192.0.2.1', browser: 'Firefox' })
  const credentials = { passwordHash: PASSWORD_HASH, totpSecret, totpStep: 0, recoveryHashes: [], knownNetworks: [] }
  await store.acceptInvitation(id, credentials, { ...session, hash: secretHash(secret) }, row)
  let lastStep = stepAt(at) - 1
  /** Each code counts once; the next one is valid a little early. */
  const proof = () => {
    lastStep = Math.max(lastStep + 1, stepAt(now()))
    return { password: PASSWORD, code: totpCode(Buffer.from(totpSecret, 'hex'), lastStep) }
  }
  const ask = async (method: string, path: string, body?: unknown, at = url) => {
    const response = await fetch(`${at}/v1/operator${path}`, {
      method,
      headers: {
        cookie: `__Host-tocsin=${secret}`,
        origin: new URL(at).origin,
        'x-tocsin-console': '1',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, text, json: text === '' ? null : JSON.parse(text) }
  }
  return { id, ask, proof }
}
