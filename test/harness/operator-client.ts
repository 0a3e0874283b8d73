import assert from 'node:assert/strict'
import { createIds } from '../../src/adapters/platform/system/ids.ts'
import { addApiToken } from '../../src/app/operator/tokens.ts'
import { COMMAND } from '../../src/core/operator/audit.ts'
import { DAY } from '../../src/lib/durations.ts'
import type { Site } from './site.ts'

/** A new API token of an admin. */
export async function tokenOf(site: Site): Promise<string> {
  const { store } = site.service
  const now = site.clock.now()
  const given = { name: 'Script', role: 'admin', applications: null, expiresAt: now + DAY } as const
  const made = await addApiToken({ store, ids: createIds() }, given, { actor: COMMAND, address: null, now })
  assert.ok('secret' in made)
  return made.secret
}

/** Asks the running service. */
export async function adminOf(site: Site) {
  const { listeners } = site.service
  const secret = await tokenOf(site)
  return async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${listeners.http}/v1/operator${path}`, {
      method,
      headers: {
        authorization: `Bearer ${secret}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    return { status: response.status, text, json: isJson ? JSON.parse(text) : null }
  }
}
