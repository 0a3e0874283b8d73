import { randomUUID } from 'node:crypto'
import { COMMAND, entry } from '../../src/core/operator/audit.ts'
import type { Grant } from '../../src/core/operator/role.ts'
import { secretHash } from '../../src/core/operator/secret.ts'
import { newSession } from '../../src/core/operator/session.ts'
import type { Store } from '../../src/ports/store.ts'
import type { Site } from './site.ts'

/** A new operator with a session. `secret`: of its cookie. */
export async function newOperator(store: Store, name: string, grant: Partial<Grant>, now: number) {
  const id = randomUUID()
  const row = entry({ at: now, actor: COMMAND, action: 'operator.manage' })
  const role = { role: 'operator', applications: null, ...grant } as const
  const dates = { createdAt: now, updatedAt: now, signedInAt: null }
  await store.addOperator({ id, login: name.toLowerCase(), name, ...role, disabled: false, ...dates }, row)
  await store.invite({ hash: id, operatorId: id, totpSecret: 'aa', createdAt: now, expiresAt: now + 1 }, row)
  const secret = `${randomUUID()}${randomUUID()}`.replaceAll('-', '')
  const session = newSession({ id: randomUUID(), operatorId: id, now, address: '192.0.2.1', browser: 'Firefox' })
  const credentials = { passwordHash: 'x', totpSecret: 'aa', totpStep: 0, recoveryHashes: [], knownNetworks: [] }
  await store.acceptInvitation(id, credentials, { ...session, hash: secretHash(secret) }, row)
  return { id, secret, sessionId: session.id }
}

/** An operator who is signed in at the console, without the page: the work of a sign-in is not the subject. */
export async function signedIn(site: Site, name: string, grant: Partial<Grant> = {}) {
  const { store, listeners } = site.service
  const { id, secret } = await newOperator(store, name, grant, site.clock.now())
  /** As the page asks. */
  const ask = async (method: string, path: string, body?: unknown) => {
    const url = listeners.http!
    const response = await fetch(`${url}/v1/operator${path}`, {
      method,
      headers: {
        cookie: `__Host-tocsin=${secret}`,
        origin: new URL(url).origin,
        'x-tocsin-console': '1',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, json: text === '' ? null : JSON.parse(text) }
  }
  return { id, ask }
}
