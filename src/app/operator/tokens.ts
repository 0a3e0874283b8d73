import type { Grant } from '../../core/operator/role.ts'
import { secretHash } from '../../core/operator/secret.ts'
import { type ApiToken, MAX_TOKEN_MS, MAX_TOKENS } from '../../core/operator/session.ts'
import type { Ids } from '../../ports/ids.ts'
import type { OperatorStore } from '../../ports/operator-store.ts'
import { type By, rowBy } from './by.ts'

/** The prefix of tokens, by which people and secret scanners recognise a leaked one. */
const PREFIX = 'tocsin_'

type TokenNeeds = { readonly store: Pick<OperatorStore, 'addToken' | 'revokeToken'>; readonly ids: Ids }
type Given = Grant & { readonly name: string; readonly expiresAt: number }

/** Makes a token for a script or a wall screen. The secret is shown once and stored nowhere. */
export async function addApiToken(
  { store, ids }: TokenNeeds,
  { name, role, applications, expiresAt }: Given,
  by: By,
): Promise<
  | { readonly token: ApiToken; readonly secret: string }
  | { readonly refused: 'token_limit' }
  | { readonly refused: 'token_end'; readonly latest: number }
> {
  const { now, actor } = by
  if (expiresAt <= now || expiresAt > now + MAX_TOKEN_MS) return { refused: 'token_end', latest: now + MAX_TOKEN_MS }
  const secret = `${PREFIX}${ids.secret()}`
  const made = { createdBy: actor.name, createdAt: now, expiresAt, usedAt: null }
  const token: ApiToken = { id: ids.uuid(), name, role, applications, ...made }
  const details = { change: 'added', role, applications }
  const audit = rowBy(by, { action: 'token.manage', subject: token.id, details })
  const added = await store.addToken({ ...token, hash: secretHash(secret) }, MAX_TOKENS, audit)
  return 'refused' in added ? added : { token, secret }
}

/** Revokes a token, effective with its next request. */
export function revokeApiToken(
  { store }: Pick<TokenNeeds, 'store'>,
  tokenId: string,
  by: By,
): Promise<{ readonly revoked: true } | { readonly refused: 'token_not_found' }> {
  const details = { change: 'revoked' }
  return store.revokeToken(tokenId, rowBy(by, { action: 'token.manage', subject: tokenId, details }))
}
